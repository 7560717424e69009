import Foundation
import Journal
import LocationKit
import TestSupport
import Writing
import Testing

@Suite(.inTurn) struct JournalLocationsTests: JournalSuite {
  let folder = TemporaryFolder()
  let notices = Recorder<OutputNotice>()

  /// The latitudes of locations, and `nil` for each loss.
  private func latitudes(
    since: Date? = nil, until: Date? = nil, inNewest rows: Int64 = .max, limit: Int = .max,
    while goesOn: () -> Bool = { true }, onUnusable: (UnusableRow) -> Void = { _ in }
  ) throws -> [Double?] {
    var found: [Double?] = []
    try JournalReader(path: path).forEachLocation(
      since: since, until: until, inNewest: rows, while: goesOn, onUnusable: onUnusable
    ) {
      found.append($0?.coordinate.latitude)
      return found.count < limit
    }
    return found
  }

  @Test func numbersWithoutRowsArePassedOver() async throws {
    try await write(0...2)
    try execute("UPDATE locations SET sequence = 9000000000000000000 WHERE sequence = 3", in: path)
    var pieces = 0
    let goesOn = {
      pieces += 1
      return true
    }
    let found = try latitudes(since: location(0).timestamp, while: goesOn)
    #expect(found == (0..<3).map { location($0).coordinate.latitude })
    #expect(pieces < 10)
    #expect(try latitudes(while: { false }) == [])
  }

  /// What another program has stored, and what a bad disk has left.
  @Test(arguments: ["latitude = 'x'", "longitude = 500", "latitude = 90.5"])
  func aRowWithoutAPlaceIsNamedAndPassedOver(change: String) async throws {
    try await write(0...3)
    try execute("UPDATE locations SET \(change) WHERE sequence = 2", in: path)
    var unusable: [UnusableRow] = []
    #expect(try latitudes(onUnusable: { unusable.append($0) }) == [0, 2, 3])
    #expect(unusable == [UnusableRow(number: 2, isDamaged: false)])
    let entries = try JournalReader(path: path).entries(after: 0, limit: 9)
    #expect(entries.map(\.sequence) == [1, 2, 3, 4])
    guard case .location(let second) = entries[1].record else { return }
    #expect(!second.coordinate.isValid)
  }

  /// Pages in the middle of the file, which are rows of `locations`.
  @Test(arguments: [1, 20]) func aDamagedFileIsReadAsFarAsItCanBeAndNotWritten(pages: Int) async throws {
    try await write(0...4999)
    var bytes = try #require(FileManager.default.contents(atPath: path))
    let start = bytes.count / 2 / 4096 * 4096
    for index in start..<start + pages * 4096 { bytes[index] = 0x55 }
    try bytes.write(to: URL(filePath: path))

    var (numbers, unusable) = ([Date?](), [UnusableRow]())
    try JournalReader(path: path).forEachLocation(onUnusable: { unusable.append($0) }) {
      if let location = $0 { numbers.append(location.timestamp) }
      return true
    }
    #expect(numbers.count + unusable.count == 5000)
    #expect(!unusable.isEmpty && unusable.count < 100 * pages && unusable.allSatisfy(\.isDamaged), "\(unusable.count)")
    #expect(numbers.first == location(0).timestamp && numbers.last == location(4999).timestamp)
    #expect(throws: JournalError.self) { try JournalWriter.trial(path: path) }
    expectFailure(.damaged, "is damaged and stays as it is") { _ = try writer() }
    #expect(FileManager.default.contents(atPath: path) == bytes)
  }

  @Test func quartersOfAnHourWithALocationAreFound() async throws {
    let writer = try writer(.replay)
    for minutes in [61.0, 62, 29, 0.5] {
      let place = LocationCoordinate2D(latitude: 1, longitude: 2)
      writer.append(.location(Location(coordinate: place, timestamp: Date(timeIntervalSince1970: 60 * minutes))))
    }
    writer.append(.location(Location(latitude: 1, longitude: 2)))
    #expect(await writer.finish() == .finished)
    // Beyond a gap in the row numbers as well.
    try execute("UPDATE locations SET sequence = 9000000 WHERE sequence = 4", in: path)
    let reader = try JournalReader(path: path)
    #expect(try reader.quarters() == [0, 1, 4])
    #expect(try reader.quarters(while: { false }) == [])
  }

  @Test func hasTheLocationsAndLossesOfTheNewestRows() async throws {
    let writer = try writer(.replay)
    for number in 0..<2500 { writer.append(.location(location(number))) }
    writer.append(.error(LocationError(.network, ""), nil))
    writer.append(.error(LocationError(.locationUnknown, ""), location(2499).timestamp))
    writer.append(.location(Location(latitude: 1, longitude: 2)))
    #expect(await writer.finish() == .finished)

    let all = (0..<2500).map { location($0).coordinate.latitude }
    #expect(try latitudes() == all + [nil, 1])
    #expect(try latitudes(inNewest: 13) == Array(all[2490...]) + [nil, 1])
    #expect(try latitudes(limit: 7) == Array(all[..<7]))

    let (third, last) = (location(2).timestamp, location(2499).timestamp)
    #expect(try latitudes(until: third) == Array(all[..<2]))
    #expect(try latitudes(since: third, until: last) == Array(all[2..<2499]))
    // The loss after it is behind the last location of that time, and one without a time has none.
    #expect(try latitudes(since: last) == [all[2499]])
    #expect(try latitudes(since: location(2500).timestamp) == [])
  }
}
