import Foundation
import TestSupport
import Testing

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

  @Test func everyFlagHasARowAndIsDocumented() async throws {
    let result = try await DaemonProcess.run(["--experimental-dump-help"])
    let dump = try JSONDecoder().decode(Dump.self, from: Data(result.output.utf8))
    let commands = [dump.command] + (dump.command.subcommands ?? [])
    #expect(Set(commands.map(\.commandName)).isSuperset(of: ["run", "replay", "track", "doctor"]))
    var flags: Set<String> = []
    for argument in commands.flatMap({ $0.arguments ?? [] }) {
      for name in argument.names ?? [] where name.kind == "long" { flags.insert(name.name) }
    }
    let rows = [Self.inFiles, Self.ofOtherSuites, Self.ofFleetJournal, Self.commandLineOnly]
    #expect(flags == Set(rows.joined().map(\.flag)))

    let manual = try String(contentsOf: Checkout.file("man/rxlocationd.8"), encoding: .utf8)
    for flag in flags { #expect(manual.contains(".It Fl -\(flag)"), "man/rxlocationd.8 does not have --\(flag)") }
  }
}
