import ArgumentParser
import Glibc
import MapPage
import Replay
import TestSupport
import Testing

@testable import rxlocationd

/// What is made of settings that other programs have to understand.
@Suite(.inTurn) struct OptionsTests {
  @Test(arguments: [("ann", "ann"), ("a/b", "a-b"), ("+", "-"), ("a#b", "a-b")])
  func aNameIsOneLevelOfTheTopic(user: String, level: String) throws {
    let options = try Settings.parse(["--publish", "mqtt://localhost", "--publish-user", user]).publishing
    let configuration = "\(try #require(options.configurations.first))"
    let topic = try #require(configuration.firstMatch(of: /"(owntracks[^"]*)"/)).output.1
    let levels = topic.split(separator: "/", omittingEmptySubsequences: false)
    #expect(levels.count == 3, "\(topic)")
    #expect(levels[1] == level)
    #expect(!levels[2].isEmpty && !levels[2].contains("."))
  }

  @Test func aZoneIsOneOfTheSystems() {
    for name in ["UTC", "local", "Europe/Berlin"] { #expect((try? TimeZoneOption(parsing: name)) != nil, "\(name)") }
    for name in ["", "/etc/localtime", "../zoneinfo/Europe/Berlin", "Europe/../Europe/Berlin", "Europe", "tzdata.zi"] {
      #expect((try? TimeZoneOption(parsing: name)) == nil, "\(name)")
    }
  }

  @Test(arguments: ["http", "https"]) func tilesOfAServerNeedAnAttribution(scheme: String) throws {
    let words = ["--map", "127.0.0.1:0", "--map-tiles", "\(scheme)://tiles.example/{z}/{x}/{y}.png"]
    let error = #expect(throws: SettingError.self) { try MapOptions.parse(words).check() }
    #expect(error?.description.contains("map-attribution") == true)
    let options = try MapOptions.parse(words + ["--map-attribution", "Somebody"])
    try options.check()
    #expect(try options.configuration(source: "x", kind: .replay, onNotice: { _ in }).tiles != nil)
  }

  @Test func aSpeedIsAFactorOfThePace() throws {
    #expect(try ReplaySpeed(parsing: "2.5") == .factor(2.5))
    #expect(try ReplaySpeed(parsing: "max") == .max)
    for text in ["0", "-1", "fast", "maximum", ""] {
      #expect(throws: SettingError.self) { try ReplaySpeed(parsing: text) }
    }
  }

  @Test func anEmptyAttributionIsNone() throws {
    let words = ["--map", "127.0.0.1:0", "--map-tiles", "https://tiles.example/{z}/{x}/{y}.png"]
    #expect(throws: SettingError.self) { try MapOptions.parse(words + ["--map-attribution", ""]).check() }
  }

  /// Publishing keeps a journal of its own.
  @Test func aJournalsLimitIsForPublishingToo() throws {
    try Requirement.check(["journal-limit 1M", "publish mqtt://localhost"])
    #expect(throws: SettingError.self) { try Requirement.check(["journal-limit 1M", "publish-tid ab"]) }
  }

  @Test(arguments: ["publish-ca", "publish-certificate", "publish-key"])
  func certificatesAreInRegularFiles(flag: String) throws {
    let folder = TemporaryFolder()
    let pipe = folder.path("pipe")
    #expect(mkfifo(pipe, 0o600) == 0)
    let options = try Settings.parse(["--publish", "mqtts://localhost", "--\(flag)", pipe]).publishing
    #expect(throws: SettingError("\(flag) \(pipe): is not a regular file")) { try options.checkMachine() }
  }

  @Test(arguments: [
    (["--span", "-5", "--stale-after", "3"], ["--span=-5", "--stale-after", "3"]),
    (["track", "--gap-after", "-.5", "-1"], ["track", "--gap-after=-.5", "-1"]),
    (["--span=1", "-5"], ["--span=1", "-5"]), (["replay", "-", "--loop", "-h"], ["replay", "-", "--loop", "-h"]),
    (["track", "--", "--x", "-5"], ["track", "--", "--x", "-5"]), (["-5"], ["-5"]), ([], []),
  ]) func aNegativeNumberBelongsToTheFlagInFrontOfIt(words: [String], joined: [String]) {
    #expect(Arguments.joiningNegativeNumbers(words) == joined)
  }

  @Test func formatsHaveNames() throws {
    for format in StreamFormat.allCases { #expect(try StreamFormat(parsing: format.rawValue) == format) }
    #expect(throws: SettingError("'kml' is not a format; expected one of ndjson, geojson, gpx, csv, none")) {
      try StreamFormat(parsing: "kml")
    }
  }
}
