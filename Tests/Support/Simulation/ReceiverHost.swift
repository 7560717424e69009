import Foundation
import Glibc
import Platform
import LocationKit
import Records
import TestSupport

@testable import Journal
@testable import Writing
@testable import Publishing

/// The host of a receiver: `rxlocationd run` with all outputs, which is killed, stopped and started again, and what its
/// outputs have received in all of its runs.
@MainActor
final class ReceiverHost {
  let world: World
  let gpsd: SimulatedGPSD
  let broker: SimulatedBroker
  let database: SimulatedDatabase
  let disk: Disk
  let standardOutput: SimulatedFile
  let regionLog: SimulatedFile
  private(set) var program: ReceiverProgram?
  /// Whether there is no journal, so that records wait in memory.
  let isTemporary: Bool
  /// The fixes that were committed and not lost by a power cut.
  private var committed: Set<Int> = []
  /// Records that publishers and copiers have reported as dropped.
  private var (publishedLess, copiedLess) = (0, 0)
  var fences = [Region(center: LocationCoordinate2D(latitude: 47, longitude: 8), radius: 500, identifier: "home")]
  /// The first fix of each program.
  var starts: [Int] = []
  let journalLimit: Int
  /// Whether fences, position and clock of the receiver have always been good, and whether the journal has dropped
  /// records.
  var (isFenceSteady, hasDropped) = (true, false)
  /// Up to where the publisher and the copier have read the journal, as the last run knew it.
  private(set) var cursors = (published: Int64(0), copied: Int64(0))
  /// The altitudes that the broker has received, each at its first time.
  private var published: [Int] = []
  private var publishedNumbers: Set<Int> = []
  /// What the journal has at the last look, and whether it has its first row.
  private var (kept, crossings, isWhole): ([Location], [RegionCrossing], Bool) = ([], [], false)
  /// The rows without a time that it has.
  private var untimed: [Int64] = []

  /// The lines that all runs have written to the record.
  private var recorded: [String] = []

  static let recordLimit = 1 << 16
  var recordPath: String { disk.folder.file("gps.record") }
  var journalPath: String { disk.folder.file("journal.db") }

  init(_ world: World) throws {
    self.world = world
    gpsd = SimulatedGPSD(world)
    broker = SimulatedBroker(world)
    database = SimulatedDatabase(world)
    disk = try Disk(seed: world.random.next())
    world.disk = disk
    (standardOutput, regionLog) = (SimulatedFile(world), SimulatedFile(world))
    isTemporary = world.isLucky(0.3)
    let hasSmallPages = !isTemporary && world.isLucky(0.5)
    journalLimit = [hasSmallPages ? 1 << 15 : 1 << 18, 64 << 20].randomElement(using: &world.random) ?? 1 << 20
    if hasSmallPages {
      // The least limit is 64 pages, which a few hundred rows reach.
      _ = FileManager.default.createFile(atPath: journalPath, contents: nil)
      try Connection(path: journalPath).execute(
        "PRAGMA page_size = 512; PRAGMA auto_vacuum = INCREMENTAL; CREATE TABLE t (c); DROP TABLE t")
    }
    broker.onMessage = { [unowned self] in receive($0) }
    broker.onAnswer = { [unowned self] in if case .row(let row) = $0.origin { program?.acknowledged.insert(row) } }
    world.always { [unowned self] in program?.checkAccounts() }
  }

  // MARK: Runs

  func start() {
    guard program == nil else { return }
    if isTemporary { (committed, publishedLess, copiedLess, cursors) = ([], 0, 0, (0, 0)) }
    do {
      program = try ReceiverProgram(self)
      world.note("started")
    } catch {
      // A full disk or a lock of a run that still ends.
      world.note("cannot start: \(error)")
      world.after(5) { [weak self] in self?.start() }
    }
  }

  /// Ends the process between two of its steps, and starts it again.
  func kill(byPowerCut: Bool) {
    guard let program else { return }
    world.note(byPowerCut ? "power cut" : "killed")
    disk.stop()
    // A commit syncs all earlier ones if the last sync was ten seconds ago.
    let committed = program.committed(before: byPowerCut ? 25 : 0)
    end(program)
    if byPowerCut { cursors = (0, 0) }
    broker.disconnect(ReceiverProgram.client)
    disk.restart(afterPowerCut: byPowerCut)
    verify(committed)
    verifyRecord()
  }

  /// Another program tries to write the journal under a name of its own.
  func startTwice() {
    guard !isTemporary, program?.life.isEnding == false else { return }
    let other = disk.folder.file("other.db")
    unlink(other)
    symlink(journalPath, other)
    world.check((try? JournalFile(path: other, limit: 1 << 20)) == nil, "a second program writes the journal")
  }

  private func end(_ program: ReceiverProgram) {
    program.checkLosses()
    publishedLess += program.publishedLess
    copiedLess += program.copiedLess
    cursors = program.cursors
    recorded += program.recorded
    hasDropped = hasDropped || program.journal.statistics.account.dropped > 0
    self.program = nil
    world.restart(after: program.life) { [weak self] in self?.start() }
  }

  /// Sends SIGTERM, waits for the end and starts the program again.
  func terminate() {
    guard let program, !program.life.isEnding else { return }
    world.note("terminated")
    world.hasTasks = true
    Task { [weak self] in
      await program.finish()
      guard let self, self.program === program else { return }
      program.checkEnd()
      let committed = program.committed(before: 0)
      end(program)
      world.note("ended")
      verify(committed)
      verifyRecord()
    }
  }

  // MARK: What was received

  private func receive(_ message: OutgoingMessage) {
    guard case .row = message.origin, let location = try? DeviceMessage(message.payload, from: "car", key: nil),
      case .location(let location) = location
    else { return }
    if publishedNumbers.insert(location.number).inserted { published.append(location.number) }
  }

  /// The pieces of the record have its newest lines, without a gap and within the limit.
  func verifyRecord() {
    var (lines, size): ([String], Int) = ([], 0)
    do {
      for name in RecordPieces.files(of: recordPath) {
        let data = try Data(contentsOf: URL(fileURLWithPath: name))
        size += data.count
        var bytes = Array(data)
        if name.hasSuffix(".gz") {
          let (zipped, gunzip) = (bytes, try Gunzip())
          bytes = []
          try zipped.withUnsafeBufferPointer { try gunzip.decompress($0) { bytes += $0 } }
          try gunzip.finish()
        }
        // The program may be killed within a line.
        lines += String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
          .filter { !$0.contains(#""continued""#) }
      }
    } catch {
      return world.check(false, "the record cannot be read: \(error)")
    }
    let all = recorded + (program?.recorded ?? [])
    world.check(lines == all.suffix(lines.count), "the record lacks lines")
    world.check(size <= Self.recordLimit, "the record has \(size) bytes")
    world.check(lines.count == all.count || size > Self.recordLimit / 4, "the record has only \(size) bytes")
  }

  /// Compares the journal with what was given to it: its fixes come in order, and the newest are all there.
  func verify(_ committed: [Int] = []) {
    if isTemporary { return self.committed.formUnion(committed) }
    hasDropped = hasDropped || program.map { $0.journal.statistics.account.dropped > 0 } ?? false
    do {
      var (states, expected): ([String: RegionState], Int64?) = ([:], nil)
      var time = Date.distantPast
      (kept, crossings, untimed) = ([], [], [])
      for entry in try disk.rows(of: "journal.db") {
        if expected == nil { isWhole = entry.sequence == 1 }
        world.check(expected == nil || entry.sequence == expected, "row \(entry.sequence) follows a gap")
        expected = entry.sequence + 1
        if !entry.record.isError, entry.record.time == nil { untimed.append(entry.sequence) }
        switch entry.record {
        case .location(let location):
          kept.append(location)
          // A restart knows only states of fences from the last day of the receiver's clock.
          if location.timestamp.map({ $0 < time || $0 > time + 86_400 }) ?? true { states = [:] }
          time = location.timestamp ?? time
        case .crossing(let crossing):
          let name = "\(crossing.region)"
          let isNews = hasDropped || states[name] != crossing.state
          world.check(isNews, "\(crossing.region.identifier) was \(crossing.state) twice")
          states[name] = crossing.state
          crossings.append(crossing)
        case .error: break
        }
      }
      let numbers = kept.map(\.number)
      world.checkOrder(numbers, "comes")
      let (kept, oldest) = (Set(numbers), numbers.first ?? 0)
      for number in committed where number >= oldest {
        world.check(kept.contains(number), "fix \(number) was committed and is lost")
      }
      self.committed.formUnion(committed)
    } catch {
      world.check(committed.isEmpty, "the journal cannot be read: \(error)")
    }
  }

  /// What must hold some time after the last fault.
  func checkDelivery() {
    guard let program else { return world.check(false, "the program is not running") }
    program.checkDelivery()
    verifyRecord()
    verify(program.committed(before: 60))
    if !isTemporary, isWhole { program.checkUntimed(untimed) }
    if isFenceSteady, gpsd.hasFractions, !isTemporary, !hasDropped, isWhole {
      for fence in fences { world.check(crossings, of: "the receiver", fence, with: kept, starts: starts) }
    }
    let size = (try? FileManager.default.attributesOfItem(atPath: journalPath))?[.size] as? Int ?? 0
    world.check(size < 2 * journalLimit, "the journal has \(size) bytes, and a limit of \(journalLimit)")
    let copied = database.locations["car", default: []].map(\.number)
    let less = (publishedLess + program.publishedLess, copiedLess + program.copiedLess)
    let missing = (committed.subtracting(publishedNumbers).count, committed.subtracting(copied).count)
    world.check(missing.0 <= less.0, "\(missing.0) fixes are not published, of which \(less.0) are in the account")
    world.check(missing.1 <= less.1, "\(missing.1) fixes are not copied, of which \(less.1) are in the account")
    world.checkOrder(published, "was published")
    world.checkOrder(copied, "was copied")
  }
}
