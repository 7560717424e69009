import ArgumentParser
import LocationKit
import Testing
import TestSupport
import TrackDocuments

@testable import rxlocationd

@Suite(.inTurn) struct ConfigurationFileTests {
  private let folder = TemporaryFolder()

  private func arguments(_ text: String) throws -> [String] {
    try ConfigurationFile(parsing: text, path: "x.conf").lines.map(\.argument)
  }

  private func message(_ text: String) -> String {
    do {
      return "was taken as \(try arguments(text))"
    } catch {
      #expect((error as? CommandError)?.status == .configuration)
      return (error as? CommandError)?.message ?? "\(error)"
    }
  }

  @Test func isFlagsWithoutDashes() throws {
    let text = """
      # Comments and empty lines mean nothing.

      span 2000
        stale-after\t5  \t
      fence home=1,-2.5,50 # behind a value
      fence a#b=3,4,60.5
      region-log /tmp/a file#1\r
      strict
      #loop
      distance-filter 0#
      """
    // A '#' in a word is the word's.
    #expect(message(text) == "x.conf:10: \(message("distance-filter 0#").dropFirst("x.conf:1: ".count))")
    #expect(
      try arguments(text.replacing("0#", with: "0 #")) == [
        "--span=2000", "--stale-after=5", "--fence=home=1,-2.5,50", "--fence=a#b=3,4,60.5",
        "--region-log=/tmp/a file#1", "--strict", "--distance-filter=0",
      ])
  }

  @Test(arguments: [
    (
      "span wide",
      "The value 'wide' is invalid for 'span <metres>': 'wide' is not a number; expected a number of metres"
    ),
    ("span 10m", "The value '10m' is invalid for 'span <metres>': '10m' is not a number; expected a number of metres"),
    ("span 0.5", "The value '0.5' is invalid for 'span <metres>': '0.5' is out of range; expected a number of metres"),
    ("span", "Missing value for 'span <metres>'"),
    ("gspd localhost", "'gspd' is not a setting; did you mean 'gpsd'?"),
    ("spann 3", "'spann' is not a setting; did you mean 'span'?"),
    ("--span 3", "'--span' is not a setting; write the name of a flag without '--'"),
    ("span=3", "'span=3' is not a setting; write the name of a flag without '--', a blank and its value"),
    ("span = 3", "write the value of 'span' behind a blank, without '='"),
    ("loop yes", "The option 'loop' does not take any value"),
    ("[[fence]]", "'[[fence]]' is not a setting"),
    ("fence a=200,0,5", "The value 'a=200,0,5' is invalid for 'fence"),
    ("help", "'help' is not a setting"),
    ("foo 1", "'foo' is not a setting"), ("version", "'version' is not a setting"),
    ("config x", "'config' is not a setting"),
    ("since 2026-05-06", "'since' is not a setting"),
    ("stop-after 0", "The value '0' is invalid for 'stop-after <seconds>': '0' is out of range"),
    ("timeout 3", "'timeout' is not a setting"),
  ])
  func namesFileLineAndWhatIsWrong(line: String, part: String) {
    #expect(message("\n\(line)\n").hasPrefix("x.conf:2: \(part)"), "\(message(line))")
  }

  @MainActor @Test func flagsWinAndListsAreTakenWhole() async throws {
    let path = try folder.write(
      "span 5\nstale-after 7\nfence a=1,1,50\nfence b=1,2,50\nfence b2=1,2,50\nspeed max\n", to: "x.conf")
    func settings(_ arguments: [String]) async throws -> Settings {
      let command = try RunCommand.parse(arguments + ["--config", path])
      return try await Configuration(of: command, arguments: ["run"] + arguments + ["--config", path]).read().settings
    }
    let file = try await settings([])
    #expect(file.span == 5)
    #expect(file.staleAfter == 7)
    #expect(file.watch.fences.map(\.identifier) == ["a", "b", "b2"])
    #expect(file.format == .ndjson)
    let both = try await settings(["--span", "9", "--fence=c=1,1,50"])
    #expect(both.span == 9)
    #expect(both.staleAfter == 7)
    #expect(both.watch.fences.map(\.identifier) == ["c"])
  }

  @MainActor @Test func oneFileServesSeveralCommands() async throws {
    let path = try folder.write("units nautical\nspan 5\nstop-after 20\njournal x.db\nformat none\n", to: "x.conf")
    let track = try TrackCommand.parse(["x.nmea", "--config", path, "--stop-after", "30"])
    let words = ["track", "x.nmea", "--config", path, "--stop-after", "30"]
    let read = try await Configuration(of: track, arguments: words).read()
    #expect(read.reading.units == .nautical)
    #expect(read.reading.journal == .file("x.db"))
    #expect(read.reading.stopAfter == 30)
    #expect(read.options.format == .text)
    let monitor = try MonitorCommand.parse(["--config", path])
    let monitored = try await Configuration(of: monitor, arguments: ["monitor", "--config", path]).read()
    #expect(monitored.options.units == .nautical)
  }

  /// A flag that is given on the command line only, and what belongs together, are checked after the file is read.
  @MainActor @Test func theFilesSettingsOfATrackAreChecked() async throws {
    let path = try folder.write("journal postgresql://db/fleet\n", to: "x.conf")
    let words = ["track", "--config", path]
    let configuration = Configuration(of: try TrackCommand.parse(Array(words.dropFirst())), arguments: words)
    let error = await #expect(throws: CommandError.self) { _ = try await configuration.read() }
    #expect(error?.status == .configuration)
    #expect(error?.message.hasPrefix("\(path): a database has many devices; name one with --device") == true)
  }

  /// What stands behind "--" is a file, however it is called.
  @MainActor @Test func whatStandsBehindTheDashesIsNoFlag() async throws {
    let words = ["--config", try folder.write("span 5\n", to: "x.conf"), "--", "--span=9"]
    let command = try await Configuration(of: try ReplayCommand.parse(words), arguments: ["replay"] + words).read()
    #expect(command.settings.span == 5)
    #expect(command.files.map { "\($0)" } == ["--span=9"])
  }

  @MainActor @Test func aReloadNamesWhatCameWhatWentAndWhatIsDifferent() async throws {
    let path = try folder.write("span 5\nformat csv\naccuracy 3\nfence a=1,1,50\n", to: "x.conf")
    let words = ["--config", path]
    let configuration = Configuration(of: try RunCommand.parse(words), arguments: words)
    _ = try await configuration.read()
    #expect(try await configuration.readAgain().changed == [])
    try folder.write("span 6\naccuracy 3\nlog-level error\nfence a=1,1,50\nfence b=1,1,50\n", to: "x.conf")
    #expect(try await configuration.readAgain().changed == ["span", "format", "log-level", "fence"])
    // It is the start that counts, however often the file was read since.
    try folder.write("span 5\nformat csv\naccuracy 3\nfence a=1,1,50\n", to: "x.conf")
    #expect(try await configuration.readAgain().changed == [])
  }
}

@Suite(.inTurn) struct ArgumentsTests {
  @Test(arguments: [
    Array("drive.nmea".utf8), Array("Straße/\u{1F6F0}".utf8), [0xFF], [0x61, 0xC3, 0x2E], [0x80, 0xE2, 0x82],
    Array("\u{10FF80}".utf8), [],
  ])
  func keepEveryName(bytes: [UInt8]) {
    #expect(Arguments.bytes(of: Arguments.text(of: bytes)) == bytes)
  }

  /// As the kernel keeps the words of a command line.
  @Test func endWithAZeroByteEach() {
    #expect(Arguments.words(of: Array("a\0--b=c\0\0d e\0".utf8)) == ["a", "--b=c", "", "d e"])
    #expect(Arguments.words(of: Array("a\0\0".utf8)) == ["a", ""])
    #expect(Arguments.words(of: []) == nil)
    #expect(Arguments.words(of: Array("a".utf8)) == nil)
  }

  @Test func areTextsWhereTheyAreText() {
    #expect(Arguments.text(of: Array("Straße".utf8)) == "Straße")
    #expect(Arguments.isText("Straße"))
    #expect(!Arguments.isText(Arguments.text(of: [0x61, 0xFF])))
    #expect(Arguments.text(of: [0xFE]) != Arguments.text(of: [0xFF]))
  }
}
