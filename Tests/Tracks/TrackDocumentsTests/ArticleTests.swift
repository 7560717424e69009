import Foundation
import TestSupport
import Testing

/// The documentation's Swift compiles as it stands.
@Suite struct ArticleTests {
  @Test(.timeLimit(.minutes(30)), arguments: ["Tracks", "TrackDocuments"]) func theExampleCompiles(module: String)
    throws
  {
    let page = try String(
      contentsOf: Checkout.file("Sources/Tracks/\(module)/\(module).docc/\(module).md"), encoding: .utf8)
    let examples = page.components(separatedBy: "```swift\n").dropFirst().compactMap {
      $0.components(separatedBy: "```").first
    }
    #expect(examples.count == 1)
    for example in examples { #expect(try compilerMessages(about: example) ?? [] == []) }
  }
}
