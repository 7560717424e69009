import Foundation
import Journal
import LocationKit
import TestSupport
import Output
import Testing

@Suite struct JournalLocationsTests {
  @Test func hasTheLocationsOfATimeAndItsLosses() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("journal.db")
    let writer = try JournalWriter(path: path, limit: 1 << 22, mode: .replay)
    for number in 0..<2500 { writer.append(.location(location(number))) }
    writer.append(.error(LocationError(.network, ""), nil))
    writer.append(.error(LocationError(.locationUnknown, ""), location(2499).timestamp))
    writer.append(.location(Location(latitude: 1, longitude: 2)))
    #expect(await writer.finish() == .finished)

    let reader = try JournalReader(path: path)
    func numbers(_ since: Int?, _ until: Int?, limit: Int = .max) throws -> [Double?] {
      var found: [Double?] = []
      try reader.forEachLocation(
        since: since.flatMap { location($0).timestamp }, until: until.flatMap { location($0).timestamp }
      ) {
        found.append($0?.coordinate.latitude)
        return found.count < limit
      }
      return found
    }
    let all = (0..<2500).map { location($0).coordinate.latitude }
    #expect(try numbers(nil, nil) == all + [nil, 1])
    #expect(try numbers(10, 1500) == Array(all[10..<1500]) + [nil])
    #expect(try numbers(2490, nil) == Array(all[2490...]) + [nil])
    #expect(try numbers(nil, 3) == Array(all[..<3]) + [nil])
    #expect(try numbers(nil, nil, limit: 7) == Array(all[..<7]))
  }
}
