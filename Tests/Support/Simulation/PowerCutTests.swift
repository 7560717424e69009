import Foundation
import LocationKit
import TestSupport
import Testing

@testable import Journal

/// A power cut never damages a journal, and loses at most the last ten seconds. The disk is simulated: it loses or tears
/// what was not synced.
@Suite(.inTurn) struct PowerCutTests {
  /// The journal's program, run after run on the same disk.
  private final class World {
    let disk: Disk
    var random: SplitMix
    let clock = SimulatedClock()
    var time: Double { clock.seconds }
    /// The rows of the journal, by number: the altitude of each location, and the time of its commit.
    var rows: [Int64: (altitude: Double, committed: Double)] = [:]
    var lastAltitude = 0.0

    init(seed: UInt64) throws {
      disk = try Disk(seed: seed)
      random = SplitMix(state: seed)
    }

    var path: String { disk.folder.file("journal.db") }

    private func open() throws(JournalError) -> JournalFile {
      let journal = try JournalFile(path: path, limit: 1 << 20, host: clock.host)
      check(journal.newest)
      return journal
    }

    func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

    /// One run of the program, until the disk's power is cut or the program ends.
    func run() throws {
      disk.stop(after: Int64(number(0...400)))
      do throws(JournalError) {
        let journal = try open()
        for _ in 0..<number(0...300) {
          clock.seconds += Double(number(1...40)) / 10
          try commit(number(1...20), to: journal)
          _ = journal.enforceLimit()
        }
        try journal.finish()
      } catch {
        #expect(disk.isStopped, "\(error)")
      }
    }

    private func commit(_ count: Int, to journal: JournalFile) throws(JournalError) {
      let altitudes = (1...count).map { lastAltitude + Double($0) }
      lastAltitude += Double(count)
      let first = journal.newest + 1
      // Rows of a commit that failed may be there or not.
      for (number, altitude) in zip(first..., altitudes) { rows[number] = (altitude, .infinity) }
      try journal.commit(altitudes.map { .insert(.location(location(at: $0))) })
      for number in first...journal.newest { rows[number]?.committed = time }
    }

    private func location(at altitude: Double) -> Location {
      Location(
        coordinate: LocationCoordinate2D(latitude: 48, longitude: 11), altitude: altitude, horizontalAccuracy: 4,
        verticalAccuracy: 8, timestamp: Date(timeIntervalSince1970: 1_750_000_000 + altitude))
    }

    /// Compares the journal after a cut with what was written before it.
    func check(_ newest: Int64) {
      let lost = rows.filter { $0.key > newest }
      // The first row of the lost ones was committed after the last sync.
      if let first = lost.map(\.value.committed).min() {
        #expect(time - first <= 10 + 4, "rows of \(first) are lost at \(time)")
      }
      for number in lost.keys { rows[number] = nil }
    }

    /// Reads the whole journal.
    func verify() throws {
      guard FileManager.default.fileExists(atPath: path) else { return check(0) }
      try open().read { connection throws(JournalError) in
        let integrity = try connection.prepare("PRAGMA integrity_check")
        while try integrity.step() { #expect(integrity.text(0) == "ok") }
        let statement = try connection.prepare("SELECT sequence, altitude FROM locations ORDER BY sequence")
        var last: Int64?
        while try statement.step() {
          let number = statement.integer(0) ?? 0
          #expect(last == nil || number == last.map { $0 + 1 }, "a row is missing before \(number)")
          #expect(statement.double(1) == rows[number]?.altitude, "row \(number)")
          last = number
        }
        #expect(last ?? 0 == (rows.keys.max() ?? 0))
      }
    }
  }

  @Test(arguments: 0..<(runsLongTests ? 2000 : 40))
  func theJournalIsWhole(seed: Int) throws {
    let world = try World(seed: UInt64(seed))
    for _ in 0..<5 {
      try world.run()
      world.disk.restart(afterPowerCut: true)
      try world.verify()
    }
  }

  /// Rows that a reader loses to the limit are counted, although the disk may fail after their deletion.
  @Test func rowsAreCountedBeforeTheDiskFails() throws {
    let disk = try Disk(seed: 1)
    let path = disk.folder.file("journal.db")
    let journal = try JournalFile(path: path, limit: 1 << 18)
    _ = try JournalReader(path: path, name: "reader")
    var lost = 0
    for operation in 0..<300 {
      try journal.commit((0..<64).map { _ in .insert(.location(Location(latitude: 48, longitude: 11))) })
      disk.fail(forever: false, after: Int64(operation % 50))
      lost += journal.enforceLimit()["reader"] ?? 0
      disk.repair()
    }
    #expect(lost > 0)
    #expect(try Connection(path: path).integer("SELECT dropped FROM readers") == Int64(lost))
  }
}
