import ArgumentParser
import TestSupport
import Testing

@testable import rxlocationd

/// Settings that are refused before anything is done, tested without a process each.
extension BadInputTests {
  @Test(arguments: [
    ["--nonsense"], ["replay"], ["replay", "Recordings/drive.nmea", "--speed", "0"],
    ["replay", "Recordings/drive.nmea", "--speed", "fast"], ["--span", "nan"], ["--format", "xml"],
    ["--fence", "home"], ["--fence", "x=0,0,20000000"], ["--gpsd", "host:notaport"], ["--region-socket", "pipe:x"],
    ["--region-log", "-"], ["--span", "0x10"], ["--span", "1e400"], ["--journal", "-"], ["--journal", ""],
    ["--region-log", ""], ["--config", ""], ["--publish-ca", ""], ["--map-tiles", ""], ["replay", ""], ["monitor", ""],
    ["track", ""], ["track", "Recordings/drive.nmea", "--output", ""], ["track", "--journal", "-"],
    ["track", "--journal", ""], ["track", "Recordings/drive.nmea", "--since", "2026-02-30"],
    ["track", "Recordings/drive.nmea", "--until", "2026-05-06T24:30:00Z"],
    ["track", "Recordings/drive.nmea", "--since", "2026-05-06", "--until", "2026-05-06"],
    ["replay", "x", "--speed", "0x10"],
    ["--fence", "a=0x10,0,5"], ["track", "x", "--simplify", "0x1p3"], ["track", "x", "--map-name", "a"],
    ["doctor", "--publish-topic", "a/b"], ["doctor", "--region-socket-mode", "600"], ["doctor", "--map-name", "a"],
    ["doctor", "--region-socket", "unix:/tmp/s", "--region-socket-group", "no such group"],
  ])
  func aWrongFlag(arguments: [String]) async throws {
    let refusal = try #require(await Refusal(arguments))
    #expect(refusal.status == 64 && !refusal.message.isEmpty)
  }

  @Test(arguments: [
    ("region-log -", "region log '-' is standard output"),
    ("fence a=1,1,50\nfence a=1,2,50", "fence 'a' is given twice"),
    ("publish-topic a/b", "publish-topic is for a broker"), ("publish-user ann", "publish-user is for a broker"),
    ("publish-password-file /etc/passwd", "publish-password-file is for a broker"),
    ("publish-ca a.pem", "publish-ca is for a broker"), ("publish-key a.pem", "publish-key is for a broker"),
    ("publish-certificate a.pem", "publish-certificate is for a broker"),
    ("publish-client-id a", "publish-client-id is for a broker"), ("publish-tid ab", "publish-tid is for a broker"),
    ("publish-interval 5", "publish-interval is for a broker"),
    ("publish-heartbeat 5", "publish-heartbeat is for a broker"), ("map-name a", "map-name is for the map's page"),
    ("map-tiles a.pmtiles", "map-tiles is for the map's page"), ("map-assets a", "map-assets is for the map's page"),
    ("map-attribution a", "map-attribution is for the map's page"),
    ("region-socket-mode 600", "region-socket-mode is for unix sockets"),
    ("region-socket tcp:127.0.0.1:0\nregion-socket-group root", "region-socket-group is for unix sockets"),
    ("nmea-short", "nmea-short is for NMEA sockets; give nmea"),
    ("region-socket unix:/tmp/s\nregion-socket-group nobodys", "region-socket-group 'nobodys' is not a group"),
    ("journal-limit 1M", "journal-limit is for a journal; give journal or publish as well, or leave it out"),
    ("fence-memory 60", "fence-memory is for a journal; give journal as well, or leave it out"),
    ("publish mqtt://127.0.0.1:9\nfence-memory 60", "fence-memory is for a journal"),
    ("journal postgresql://127.0.0.1:9/a\nfence-memory 60", "fence-memory is for a journal's file"),
    ("journal postgresql://127.0.0.1:9/a\njournal-limit 1M", "journal-limit is the size of a file"),
    ("journal a.db\njournal-keep 9", "journal-keep is for a database"),
    ("journal a.db\njournal-password-file b", "journal-password-file is for a database"),
    ("publish mqtts://127.0.0.1:9\npublish-ca /dev/null", "publish-ca /dev/null: is not a regular file"),
  ])
  func settingsThatContradictEachOther(text: String, message: String) async throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(text, to: "x.conf")
    let inTheFile = try #require(await Refusal(["run", "--config", path]))
    #expect(inTheFile.status == 78)
    #expect(inTheFile.message.contains("\(path): \(message)"))
    let flags = text.split(separator: "\n").map { "--" + $0.replacing(" ", with: "=") }
    let onTheCommandLine = try #require(await Refusal(["run"] + flags))
    #expect(onTheCommandLine.status == 64)
    #expect(onTheCommandLine.message.contains(message))
  }

  /// The argument parser takes a number with a sign for a flag.
  @Test(arguments: [
    (["track", "--gap-after", "-1", "x"], "--gap-after"), (["track", "--simplify", "-.5", "x"], "--simplify"),
    (["replay", "x", "--speed", "-2"], "--speed"), (["--span", "-5"], "--span"),
    (["run", "--reader-limit", "-3"], "--reader-limit"), (["doctor", "--timeout", "-1"], "--timeout"),
  ]) func aNegativeNumberIsRefusedAsOne(arguments: [String], flag: String) async throws {
    let refusal = try #require(await Refusal(Arguments.joiningNegativeNumbers(arguments)))
    #expect(refusal.status == 64)
    #expect(refusal.message.contains("' is invalid for '\(flag) <"), "\(refusal)")
    #expect(!refusal.message.contains("Missing value"), "\(refusal)")
  }
}

/// How a command's settings are refused before it does anything, without a process.
private struct Refusal {
  var status: Int32
  var message: String

  /// Reads the settings of a command; `nil` if they are accepted.
  @MainActor
  init?(_ arguments: [String]) async {
    do {
      let parsed = try RxLocationD.parseSubcommand(arguments) ?? RxLocationD.parseAsRoot(arguments)
      guard let command = parsed as? any ConfigurableCommand else { return nil }
      try await Self.read(command, arguments)
      return nil
    } catch let error as CommandError {
      (status, message) = (error.status.rawValue, error.message)
    } catch {
      (status, message) = (RxLocationD.exitCode(for: error).rawValue, RxLocationD.message(for: error))
    }
  }

  @MainActor
  private static func read<Command: ConfigurableCommand>(_ command: Command, _ arguments: [String]) async throws {
    _ = try await Configuration(of: command, arguments: arguments).read()
  }
}
