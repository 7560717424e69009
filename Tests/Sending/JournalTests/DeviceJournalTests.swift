import Foundation
import LocationKit
import Writing
import Records
import TestSupport
import Testing

@testable import Journal

/// What holds for a journal of many devices, whatever keeps it.
@Suite(.startsPrograms) struct DeviceJournalTests {
  enum Kind: CaseIterable {
    case file, database
  }

  /// The kinds that there are on this host.
  static let kinds = Kind.allCases.filter { $0 == .file || RealPostgreSQL.programs != nil }

  /// A journal of a kind, which can be opened again.
  private final class Place {
    private let folder = TestSupport.TemporaryFolder()
    private let server: RealPostgreSQL?

    init(_ kind: Kind) throws { server = kind == .file ? nil : try RealPostgreSQL.newDatabase() }

    func open() throws -> any DeviceJournal {
      guard let server else { return try DeviceJournalFile(path: folder.file("fleet.db"), limit: 1 << 24) }
      return try PostgreSQLJournal(server.url())
    }

    func read(_ device: String, since: Date? = nil, until: Date? = nil, _ body: (Location) -> Bool) throws {
      if let server {
        try PostgreSQLJournal(server.url()).forEachLocation(of: device, since: since, until: until, body)
      } else {
        try JournalReader(path: folder.file("fleet.db")).forEachLocation(of: device, since: since, until: until, body)
      }
    }

    func locations(of device: String, since: Date? = nil, until: Date? = nil) throws -> [Location] {
      var found: [Location] = []
      try read(device, since: since, until: until) { location in
        found.append(location)
        return true
      }
      return found
    }
  }

  /// All that a location can have, of a device, at so many seconds.
  private func location(_ device: String, _ seconds: Double, latitude: Double = 48) -> Location {
    var location = everything
    location.coordinate.latitude = latitude
    location.timestamp = Date(timeIntervalSince1970: 1_750_000_000 + seconds)
    location.sourceInformation = LocationSourceInformation(deviceIdentifier: device)
    return location
  }

  private func record(_ location: Location, _ message: Int64 = 1, isAhead: Bool = false) -> DeviceRecord {
    DeviceRecord(
      .location(location), message: message, received: Date(timeIntervalSince1970: 1_750_000_100), isAhead: isAhead)
  }

  @Test(arguments: kinds) func everyMemberComesBackAsItWas(kind: Kind) throws {
    let place = try Place(kind)
    let journal = try place.open()
    // The longest cannot be packed.
    var random = SplitMix(state: 1)
    let longest = String(
      (0..<250).map { _ in Character(Unicode.Scalar(UInt32.random(in: 0x10000...0x1FFFF, using: &random))!) })
    #expect(longest.utf8.count == 1000)
    let names = ["ann/car", "a\tb\\N\n", "Zoë/🚲", longest]
    try journal.commit(names.map { record(location($0, 0.123456)) })
    for name in names {
      let found = try #require(try place.locations(of: name).first)
      let time = try #require(found.timestamp).timeIntervalSince1970
      #expect(abs(time - 1_750_000_000.123456) < 1e-6)
      var expected = location(name, 0.123456)
      expected.timestamp = found.timestamp
      #expect(found == expected)
    }
    #expect(try journal.newestLocations().map { $0.sourceInformation?.deviceIdentifier ?? "" } == names.sorted())
  }

  @Test(arguments: ["2026-11-24T07:36:03", "2024-02-29T23:59:59", "2001-01-01T00:00:00", "1970-01-01T00:00:00"])
  func aTimeHasTheNanosecondsOfItsText(second: String) throws {
    let start = try #require(Date(timestamp: second + "Z")?.nanosecondsSince1970)
    #expect(start % 1_000_000_000 == 0)
    for millisecond in 0..<1000 {
      let time = try #require(Date(timestamp: "\(second).\(String(millisecond + 1000).dropFirst())Z"))
      #expect(time.nanosecondsSince1970 == start + Int64(millisecond) * 1_000_000)
      #expect(Date(nanosecondsSince1970: start + Int64(millisecond) * 1_000_000) == time)
    }
    #expect(Date(timestamp: second + ".123456Z")?.nanosecondsSince1970 == start + 123_456_000)
  }

  /// A file of version 0.2.0 or before: SQLite 3.40 takes the first column of `devices` for its key.
  @Test func aTableWhoseKeyIsNotTheFirstColumnIsMadeAgain() throws {
    let folder = TestSupport.TemporaryFolder()
    let path = folder.file("fleet.db")
    let names = ["ann/car", "ben/boat"]
    try DeviceJournalFile(path: path, limit: 1 << 24).commit(names.map { record(location($0, 1)) })
    #expect(try integrity(of: path) == "ok")
    let columns = RecordMember.location.filter { "\($0.name)" != "climb" }
    try execute(
      """
      CREATE TABLE kept AS SELECT * FROM devices; DROP TABLE devices;
      CREATE TABLE devices (\(RecordColumns.definitions(columns)), PRIMARY KEY (device)) WITHOUT ROWID;
      INSERT INTO devices SELECT \(RecordColumns.names(columns)) FROM kept; DROP TABLE kept;
      """, in: path)
    let expected = names.map { name in
      var location = location(name, 1)
      location.climb = nil
      return location
    }
    #expect(try JournalReader(path: path).newestLocations() == expected)
    do {
      let journal = try DeviceJournalFile(path: path, limit: 1 << 24)
      #expect(try journal.newestLocations() == expected)
      try journal.commit([record(location("cay/van", 2))])
      #expect(try journal.newestLocations() == expected + [location("cay/van", 2)])
    }
    #expect(try RecordColumns.columns(of: "devices", in: Connection(path: path)).first == "device")
    #expect(try integrity(of: path) == "ok")
    // A newer program may have more columns.
    try execute("ALTER TABLE devices ADD COLUMN mood TEXT DEFAULT 'good'", in: path)
    _ = try DeviceJournalFile(path: path, limit: 1 << 24)
    #expect(try RecordColumns.columns(of: "devices", in: Connection(path: path)).last == "mood")
  }

  @Test(arguments: kinds) func aZeroByteInATextHarmsNothing(kind: Kind) throws {
    let place = try Place(kind)
    let journal = try place.open()
    try journal.commit([record(location("a\0b", 0)), record(location("ann/car", 0))])
    #expect(try journal.newestLocations().count == 2)
  }

  @Test(arguments: kinds) func whatComesTwiceIsOneRow(kind: Kind) throws {
    let place = try Place(kind)
    let first = record(location("ann/car", 0))
    // Of one second, but another message; and another device's.
    let others = [record(location("ann/car", 0, latitude: 49), 2), record(location("ben/boat", 0))]
    do {
      let journal = try place.open()
      try journal.commit([first, first] + others)
      try journal.commit([first] + others)
    }
    try place.open().commit([first])
    #expect(try place.locations(of: "ann/car").map(\.coordinate.latitude) == [48, 49])
    #expect(try place.locations(of: "ben/boat").count == 1)
  }

  @Test(arguments: kinds) func theNewestNeverGoesBackAndIsNeverAhead(kind: Kind) throws {
    let place = try Place(kind)
    let journal = try place.open()
    func newest() throws -> [Double?] {
      try journal.newestLocations().map { $0.timestamp.map { $0.timeIntervalSince1970 - 1_750_000_000 } }
    }
    try journal.commit([record(location("ann/car", 5)), record(location("ann/car", 3))])
    #expect(try newest() == [5])
    try journal.commit([record(location("ann/car", 4)), record(location("ann/car", 1e6), isAhead: true)])
    #expect(try newest() == [5])
    try journal.commit([record(location("ann/car", 6))])
    #expect(try newest() == [6])
    #expect(try place.locations(of: "ann/car").count == 5)
    // Of one time the last one is the newest, in one commit and in the next.
    for latitudes in [[49.0, 50], [51]] {
      try journal.commit(latitudes.map { record(location("ann/car", 7, latitude: $0), Int64($0)) })
      #expect(try journal.newestLocations().map(\.coordinate.latitude) == latitudes.suffix(1))
    }
  }

  @Test(arguments: kinds) func theRecentLocationsOfEachDeviceFollowFiveEarlierOnes(kind: Kind) throws {
    let place = try Place(kind)
    let journal = try place.open()
    try journal.commit(
      [-5, -4, -3, -2, -1, 0, 40, 41.5, 100].map { record(location("ann/car", $0)) } + [record(location("ben/boat", 7))]
        + [record(location("ann/car", 120), isAhead: true)])
    func recent(_ seconds: Double) throws -> [String] {
      try journal.recentLocations(within: seconds).map { location in
        let time = (location.timestamp?.timeIntervalSince1970 ?? 0) - 1_750_000_000
        return "\(location.sourceInformation?.deviceIdentifier ?? "") \(time)"
      }
    }
    #expect(
      try recent(60) == (-4...0).map { "ann/car \($0).0" } + [
        "ann/car 40.0", "ann/car 41.5", "ann/car 100.0", "ben/boat 7.0",
      ])
    #expect(try recent(101).count == 10)
  }

  @Test func aSingleReceiversJournalHasNoDevices() async throws {
    let folder = TestSupport.TemporaryFolder()
    let writer = try JournalWriter(path: folder.file("journal.db"), limit: 1 << 22, mode: .replay)
    writer.append(.location(everything))
    #expect(await writer.finish() == .finished)
    var found = 0
    try JournalReader(path: folder.file("journal.db")).forEachLocation(of: "ann/car") { _ in
      found += 1
      return true
    }
    #expect(found == 0)
  }

  @Test(arguments: kinds) func aDeviceIsReadInTheOrderOfTimeAndFromWhenToWhen(kind: Kind) throws {
    let place = try Place(kind)
    let journal = try place.open()
    // More than is read at a time, of two months and the last century.
    let count = 12_000
    let seconds = (0..<count).map { Double($0 * 7919 % count) * 300 }
    for start in stride(from: 0, to: count, by: 3000) {
      try journal.commit(seconds[start..<start + 3000].map { record(location("ann/car", $0)) })
    }
    try journal.commit([record(location("ann/car", -900_000_000)), record(location("ben/boat", 0))])
    let all = try place.locations(of: "ann/car").compactMap { $0.timestamp?.timeIntervalSince1970 }
    #expect(all.count == count + 1 && all == all.sorted())
    let since = Date(timeIntervalSince1970: 1_750_000_600)
    let some = try place.locations(of: "ann/car", since: since, until: since + 900)
    #expect(some.compactMap { $0.timestamp?.timeIntervalSince(since) } == [0, 300, 600])
    var few = 0
    try place.read("ann/car") { _ in
      few += 1
      return few < 3
    }
    #expect(few == 3)
  }

  @Test(arguments: kinds) func theLastCrossingOfEachFenceIsKnown(kind: Kind) throws {
    let place = try Place(kind)
    func crossing(_ device: String, _ state: RegionState, _ seconds: Double, isReported: Bool = false) -> DeviceRecord {
      DeviceRecord(
        .crossing(RegionCrossing(.circle(home), state, at: location(device, seconds), isReported: isReported)),
        message: 1,
        received: Date(timeIntervalSince1970: 1_750_000_100))
    }
    try place.open().commit([
      crossing("ann/car", .inside, 0), crossing("ann/car", .outside, 60), crossing("ben/boat", .inside, 30),
      crossing("ben/boat", .outside, 40, isReported: true),
    ])
    let last = try place.open().lastCrossings()
    #expect(last.map(\.state) == [.outside, .inside])
    #expect(last.map(\.region) == [.circle(home), .circle(home)])
  }
}
