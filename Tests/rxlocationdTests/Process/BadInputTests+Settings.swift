import ArgumentParser
import Foundation
import TestSupport
import Testing

@testable import rxlocationd

/// Settings that are refused before anything is done, tested without a process each.
extension BadInputTests {
  @Test(arguments: [
    "replay", "replay x --speed 0", "replay x --speed fast", "replay x --speed 0x10", "--span nan", "--format xml",
    "--fence home", "--gpsd host:notaport", "--region-socket pipe:x", "--region-log -", "--journal -",
    "track --journal -", "track x --since 2026-02-30", "track x --until 2026-05-06T24:30:00Z",
    "track x --since 2026-05-06 --until 2026-05-06", "track x --simplify 0x1p3", "track x --map-name a",
    "track x --format pdf", "track x --split day", "track x --split day --output /dev/null",
    "track x --time-zone Mars/Olympus", "track x --max-speed nan", "track x --stop-after 0",
    "doctor --publish-topic a/b", "doctor --region-socket-mode 600", "doctor --map-name a",
    "doctor --region-socket unix:/tmp/s --region-socket-group nobodys",
  ])
  func aWrongFlag(line: String) async throws {
    try await expectRefusal(line, "")
  }

  @Test(arguments: [
    ["--journal"], ["--region-log"], ["--config"], ["--publish-ca"], ["--map-tiles"], ["replay"], ["monitor"],
    ["track"], ["track", "x", "--output"], ["track", "--journal"],
    ["--publish", "mqtt://host", "--publish-client-id"],
  ])
  func anEmptyName(words: [String]) async throws {
    let refusal = try #require(await Refusal(words + [""]))
    #expect(refusal.status == 64 && !refusal.message.isEmpty)
  }

  /// Reads the settings of a command line, which are refused with these words.
  private func expectRefusal(_ line: String, _ words: String) async throws {
    let refusal = try #require(await Refusal(line.split(separator: " ").map(String.init)))
    #expect(refusal.status == 64 && !refusal.message.isEmpty)
    #expect(words.isEmpty || refusal.message.contains(words), "\(refusal)")
  }

  @Test(arguments: [
    "publish-topic a/b", "publish-user ann", "publish-password-file /etc/passwd", "publish-ca a.pem",
    "publish-key a.pem", "publish-certificate a.pem", "publish-client-id a", "publish-tid ab", "publish-interval 5",
    "publish-heartbeat 5",
  ])
  func aSettingOfABrokerWithoutOne(setting: String) async throws {
    try await expectRefusal("--" + setting, setting.prefix { $0 != " " } + " is for a broker")
  }

  @Test(arguments: [
    ("--region-log -", "region log '-' is standard output"),
    ("--fence a=1,1,50 --fence a=1,2,50", "fence 'a' is given twice"),
    ("--map-name a", "map-name is for the map's page"),
    ("--map-tiles a.pmtiles", "map-tiles is for the map's page"),
    ("--map-assets a", "map-assets is for the map's page"),
    ("--map-attribution a", "map-attribution is for the map's page"),
    ("--region-socket-mode 600", "region-socket-mode is for unix sockets"),
    ("--region-socket tcp:127.0.0.1:0 --region-socket-group root", "region-socket-group is for unix sockets"),
    ("--nmea-short", "nmea-short is for NMEA; give nmea"),
    ("--region-socket unix:/tmp/s --region-socket-group nobodys", "region-socket-group 'nobodys' is not a group"),
    ("--journal-limit 1M", "journal-limit is for a journal; give journal or publish as well, or leave it out"),
    ("--fence-memory 60", "fence-memory is for a journal; give journal as well, or leave it out"),
    ("--publish mqtt://127.0.0.1:9 --fence-memory 60", "fence-memory is for a journal"),
    ("--journal postgresql://127.0.0.1:9/a --fence-memory 60", "fence-memory is for a journal's file"),
    ("--journal postgresql://127.0.0.1:9/a --journal-limit 1M", "journal-limit is the size of a file"),
    ("--journal a.db --journal-keep 9", "journal-keep is for a database"),
    ("--journal a.db --journal-password-file b", "journal-password-file is for a database"),
    ("--publish mqtts://127.0.0.1:9 --publish-ca /dev/null", "publish-ca /dev/null: is not a regular file"),
    ("--record-limit 2M", "record-limit is for a record"),
    ("--map 127.0.0.1:0 --map-name a/b", "is not the name of a host"),
    ("--map 127.0.0.1:0 --map-tiles https://a/{z}/{x}.png --map-attribution x", "does not have {y}"),
    ("--map 127.0.0.1:0 --map-tiles https://{s}.a/{z}/{x}/{y}.png --map-attribution x", "host"),
    ("--map 127.0.0.1:0 --map-privacy hide:hom", "give fence hom=LAT,LON,RADIUS as well"),
    ("--map 127.0.0.1:0 --map-privacy hide:hom --fence home=1,2,3 --fence work=2,2,3", "the fences are home, work"),
    ("--map 127.0.0.1:0 --map-privacy grid:5", "expected exact, grid:METRES with 10 to 1000000 metres, or hide:FENCE"),
    ("--map 127.0.0.1:0 --map-privacy exact --map-privacy grid:500", "exact excludes other policies"),
    ("--map 127.0.0.1:0 --map-privacy grid:400 --map-privacy grid:500", "grid is given twice"),
    ("--journal postgresql://ann:secret@127.0.0.1/fleet", "name its file with journal-password-file"),
    ("--journal postgresql://[", "expected postgresql://USER@HOST/DATABASE"),
    ("--nmea-privacy grid:400", "give nmea as well"), ("--publish-privacy grid:400", "give publish as well"),
    ("--publish https://ann:secret@host/", "a server's address has no password in it"),
    ("--publish http://host/ --publish-ca a.pem", "publish to https://host:80"),
    ("--publish https://host/ --publish-client-id car", "publish-client-id is for a broker"),
    ("--publish https://host/ --publish-user ann", "https://ann@host"),
    ("--publish https://host/ --publish-password-file /etc/passwd", "a password belongs to a user"),
    ("--publish ftp://host/", "begins with mqtt:// or mqtts://"),
    ("--publish https://host/ --publish https://host/", "publish has the same address twice"),
    ("--publish https://host/ --publish-ca a.pem --publish-ca b.pem", "publish-ca is given twice"),
    ("--publish https://host/ --publish-ca host=", "publish-ca: the name of the file is empty"),
    ("--publish https://host/ --publish-key host=a.key", "give both publish-certificate and publish-key"),
    ("--publish mqtt://host --publish-topic a\u{7}b", "has a control character"),
    ("--publish mqtt://host --publish-user a\u{7}b", "does not allow control characters"),
    ("--publish mqtt://host/path", "the topic is a setting of its own"),
    ("--publish mqtt://host --publish-user m\(Arguments.text(of: [0xFC]))ller", "not UTF-8"),
    ("collect --subscribe http://host", "a broker begins with mqtt://"),
    ("collect --subscribe mqtt://host --topic a+/b", "is not a topic filter"),
    ("collect --subscribe mqtt://host --share us --fence home=1,2,3", "a fence needs all fixes of a device"),
    ("collect --list", "the devices are in a journal"), ("collect", "name the broker to listen to"),
    // GPX is of one track, and a stream cannot go back to that of another device.
    ("collect --format gpx --list --journal fleet.db", "track --journal PATH --device USER/DEVICE --format gpx"),
    ("collect --format gpx --subscribe mqtt://127.0.0.1:9", "gpx is one track"),
    ("monitor --fence a=1,1,50 --fence a=1,2,50", "fence 'a' is given twice; give each fence a name of its own"),
    ("monitor --speed 2", "--speed is for recordings; name one, or leave it out"),
    ("track x --output drive-{}.gpx", "{} in the name of --output needs --split day or --split trip"),
  ])
  func settingsThatContradictEachOther(line: String, words: String) async throws {
    try await expectRefusal(line, words)
  }

  @Test(arguments: [
    ("replay x --gpsd x:1", "replay has no --gpsd; that is for run, monitor and doctor"),
    ("replay x --gpsd=x:1", "replay has no --gpsd; that is for run, monitor and doctor"),
    ("--speed 3", "run has no --speed; that is for replay and monitor"),
    ("collect --loop", "collect has no --loop; that is for replay"),
    ("run --loop", "run has no --loop; that is for replay"),
    ("track x --speed 3", "track has no --speed; that is for replay and monitor"),
    ("doctor --span 3", "doctor has no --span; that is for run and replay"),
    ("monitor --span 3", "monitor has no --span; that is for run and replay"),
    ("replay x --gpds x:1", "Unknown option '--gpds'"),
    ("reply drive.nmea", "'reply' is not a command; did you mean 'replay'?"),
    ("drive.nmea", "'drive.nmea' is not a command; the commands are run, replay,"),
  ])
  func aFlagOfAnotherCommand(line: String, words: String) async throws {
    try await expectRefusal(line, words)
  }

  /// One row for each of the checks: of requirements, of combinations, and of this machine.
  @Test(arguments: [
    ("publish-tid ab", "publish-tid is for a broker"), ("fence a=1,1,50\nfence a=1,2,50", "fence 'a' is given twice"),
    ("region-socket unix:/tmp/s\nregion-socket-group nobodys", "region-socket-group 'nobodys' is not a group"),
  ])
  func aFileWhoseSettingsContradictEachOther(text: String, message: String) async throws {
    let path = try folder.write(text, to: "x.conf")
    let refusal = try #require(await Refusal(["run", "--config", path]))
    #expect(refusal.status == 78)
    #expect(refusal.message.contains("\(path): \(message)"), "\(refusal)")
  }

  @Test(arguments: [(0, nil), (1, 78)] as [(Int, Int32?)])
  func aConfigurationOfAMebibyteIsTheLongest(excess: Int, status: Int32?) async throws {
    let text = "format csv\n#"
    let path = try folder.write(text + String(repeating: "x", count: 1 << 20 + excess - text.utf8.count), to: "x.conf")
    #expect(await Refusal(["run", "--config", path])?.status == status)
  }

  @Test(arguments: ["/", "/dev/zero"]) func aConfigurationThatIsNoFileOfText(path: String) async throws {
    let refusal = try #require(await Refusal(["run", "--config", path]))
    #expect(refusal.status == 78 && refusal.message.hasPrefix("\(path): "), "\(refusal)")
  }

  @Test(
    arguments: [
      // A mark in front of UTF-8 means nothing.
      ([0xEF, 0xBB, 0xBF] + Array("format csv\n".utf8), nil), ([0x23, 0xE4, 0x0A], "UTF-8 text"),
      (Array("f\0o\0".utf8), "UTF-16"), (Array("\0f\0o".utf8), "UTF-16"),
      // Without a zero byte only the mark says so.
      ([0xFF, 0xFE, 0x41, 0x42], "UTF-16"), ([0xFE, 0xFF, 0x41, 0x42], "UTF-16"),
    ] as [([UInt8], String?)])
  func aConfigurationOfAnotherEncoding(bytes: [UInt8], encoding: String?) async throws {
    let path = folder.path("x.conf")
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    let refusal = await Refusal(["run", "--config", path])
    #expect((refusal == nil) == (encoding == nil), "\(String(describing: refusal))")
    guard let encoding, let refusal else { return }
    #expect(refusal.status == 78)
    #expect(refusal.message.contains("\(path): is ") && refusal.message.contains(encoding), "\(refusal)")
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
struct Refusal {
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
      let hint = RxLocationD.hint(for: error, arguments)
      (status, message) = (RxLocationD.exitCode(for: error).rawValue, hint ?? RxLocationD.message(for: error))
    }
  }

  @MainActor
  private static func read<Command: ConfigurableCommand>(_ command: Command, _ arguments: [String]) async throws {
    _ = try await Configuration(of: command, arguments: arguments).read()
  }
}
