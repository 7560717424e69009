import TestSupport
import Testing

/// The samples of README.md and of all articles compile as they are written, but for the lines that the page marks as
/// refused, and print what they say that they print.
@Suite(.serialized) struct SamplesTests {
  /// RxMacrosTests has the samples of the macro's page, which need its trait.
  static func pages() throws -> [DocumentationPage] {
    try DocumentationPage.all().filter { !$0.path.hasSuffix("/MacroForDelegateProxies.md") }
  }

  @Test(.timeLimit(.minutes(30)), arguments: try pages()) func samplesCompileAndRefusalsHold(page: DocumentationPage)
    throws
  {
    for program in page.programs {
      let answer =
        try program.isManifest
        ? Compiler.messages(aboutManifest: program.text) : Compiler.messages(about: program.text)
      guard let messages = answer else { return }
      for refusal in program.refusals {
        #expect(
          messages.contains { $0.line == refusal.line && $0.message.contains(refusal.message) },
          "\(page):\(refusal.line) is not refused with: \(refusal.message)")
      }
      for message in messages where !program.refusals.contains(where: { $0.line == message.line }) {
        Issue.record("\(page):\(message.line): \(message.message)")
      }
    }
  }

  @Test(.timeLimit(.minutes(30)), arguments: try pages().filter { $0.programs.contains { !$0.prints.isEmpty } })
  func samplesPrintWhatTheySay(page: DocumentationPage) throws {
    for program in page.programs where !program.prints.isEmpty {
      let output = try Compiler.output(of: program.text, input: Checkout.file("Recordings/drive.nmea"))
      let lines = Set(output.split(separator: "\n").map(String.init))
      for text in program.prints where !lines.contains(text) {
        Issue.record("\(page) does not print '\(text)', but: \(output.suffix(1000))")
      }
    }
  }

  /// What reads the pages finds them, and both kinds of mark.
  @Test func thePagesAreFound() throws {
    let programs = try Self.pages().flatMap(\.programs)
    #expect(programs.count > 20)
    #expect(programs.flatMap(\.refusals).count > 8)
    #expect(programs.flatMap(\.prints).count > 3)
    #expect(programs.count(where: \.isManifest) == 2)
  }
}
