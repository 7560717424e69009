import Foundation
import TestSupport
import Testing

@testable import rxlocationd

extension FlagTests {
  /// What the argument parser knows, by command.
  private struct Dump: Decodable {
    struct Command: Decodable {
      var commandName: String
      var arguments: [Argument]?
      var subcommands: [Command]?
    }
    struct Argument: Decodable {
      var names: [Name]?
    }
    struct Name: Decodable {
      var kind: String
      var name: String
    }
    var command: Command
  }

  @Test("the help of run is in groups, and ends with examples that are valid")
  func helpOfRun() async throws {
    let help = try await DaemonProcess.run(["run", "--help"]).output
    let titles = help.split(separator: "\n").filter { $0.hasSuffix(":") && !$0.hasPrefix(" ") }
    #expect(titles.first == "RECEIVER AND FENCES:" && titles.suffix(2) == ["OPTIONS:", "EXAMPLES:"], "\(titles)")
    // What a newcomer needs is on the first screen.
    let screen = help.split(separator: "\n", omittingEmptySubsequences: false).prefix(24).joined(separator: "\n")
    for flag in ["--gpsd", "--fence", "--config", "--map "] { #expect(screen.contains(flag), "\(screen)") }
    let examples = help.split(separator: "\n").filter { $0.hasPrefix("  rxlocationd ") }
    #expect(examples.count == 3)
    for example in examples { _ = try Settings.parse(example.split(separator: " ").dropFirst().map(String.init)) }
    let general = try await DaemonProcess.run(["--help"], status: 0).output
    #expect(general.contains("replay") && !general.contains("EXAMPLES"))
  }

  @Test("help for a command that there is not names a similar one")
  func helpForNoCommand() async throws {
    let words = "'docter' is not a command; did you mean 'doctor'?"
    try await DaemonProcess.run(["help", "docter"], status: 64, saying: words)
    try await DaemonProcess.run(["help", "fences"], status: 64)
    #expect(try await DaemonProcess.run(["help", "doctor"]).output.contains("USAGE: rxlocationd doctor"))
  }

  @Test func everyFlagHasARowAndIsDocumented() async throws {
    let result = try await DaemonProcess.run(["--experimental-dump-help"])
    let dump = try JSONDecoder().decode(Dump.self, from: Data(result.output.utf8))
    let commands = [dump.command] + (dump.command.subcommands ?? [])
    #expect(Set(commands.map(\.commandName)).isSuperset(of: ["run", "replay", "track", "doctor"]))
    var flags: Set<String> = []
    for argument in commands.flatMap({ $0.arguments ?? [] }) {
      for name in argument.names ?? [] where name.kind == "long" { flags.insert(name.name) }
    }
    let lines = Self.lines + Self.commandLineOnly.values.joined()
    #expect(flags == Set(lines.map { String($0.prefix { $0 != " " }) }))

    let manual = try String(contentsOf: Checkout.file("man/rxlocationd.8"), encoding: .utf8)
    for flag in flags { #expect(manual.contains(".It Fl -\(flag)"), "man/rxlocationd.8 does not have --\(flag)") }
  }
}
