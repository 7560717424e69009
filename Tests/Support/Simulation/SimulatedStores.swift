import FoundationEssentials
import Glibc
import LocationKit
import Platform
import Synchronization
import SystemPackage

@testable import Journal
@testable import Writing

/// A file or pipe of a program that writes lines. It outlives the program.
@MainActor
final class SimulatedFile {
  /// How many bytes fit; a slow reader makes room.
  var room = Int.max
  var failure: Errno? { didSet { hasRest = true } }
  /// Whether the file cannot be opened again.
  var isGone = false
  /// When no record waited for the file, or when it could not be written.
  var lastEmpty = 0.0
  /// The records that the current program has written, without the notes on dropped ones.
  private(set) var records = 0
  /// The dropped records in the notes of the current program.
  private(set) var noted = 0
  /// The bytes after the last line feed.
  private var rest: [UInt8] = []
  /// Whether a part of the next write still fits when writes begin to fail.
  private var hasRest = false
  private let world: World

  init(_ world: World) { self.world = world }

  var works: Bool { room == .max && failure == nil }

  /// The program's end of it.
  func open(while isAlive: @escaping @MainActor @Sendable () -> Bool) -> sending any RecordFile {
    // A program that was killed may have left a torn line, which a log file removes.
    (rest, records, noted) = ([], 0, 0)
    return End(self, isAlive)
  }

  fileprivate func write(_ bytes: UnsafeRawBufferPointer) -> Result<Int, Errno> {
    if let failure, !hasRest { return .failure(failure) }
    let isShort = failure != nil || world.isLucky(0.01)
    hasRest = false
    let count = min(room, bytes.count, isShort ? world.number(1...bytes.count) : bytes.count)
    // A writer waits for the reader without using the processor.
    if count == 0 { world.hang(1) }
    if room < .max { room -= count }
    rest += bytes[..<count]
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      let line = String(decoding: rest[..<end], as: UTF8.self)
      if line.hasPrefix(#"{"type":"dropped""#) {
        noted += Int(line.filter(\.isNumber)) ?? 0
      } else {
        records += 1
      }
      rest.removeFirst(end + 1)
    }
    return .success(count)
  }

  /// The old file was moved away, and a new one begins.
  fileprivate func reopen() -> Result<Void, OutputError> {
    if isGone { return .failure(OutputError(.cannotCreate, "log: the folder is gone")) }
    world.check(rest.isEmpty, "a record is in two files of the log")
    return .success(())
  }

  private nonisolated final class End: RecordFile, Sendable {
    private let file: SimulatedFile
    private let isAlive: @MainActor @Sendable () -> Bool
    let name = "simulated file"
    let descriptor: Int32

    @MainActor init(_ file: SimulatedFile, _ isAlive: @escaping @MainActor @Sendable () -> Bool) {
      (self.file, self.isAlive) = (file, isAlive)
      // It can always be written.
      descriptor = Glibc.open("/dev/null", O_WRONLY | O_CLOEXEC)
    }

    deinit { Glibc.close(descriptor) }

    func write(_ bytes: UnsafeRawBufferPointer) throws(Errno) -> Int {
      nonisolated(unsafe) let bytes = bytes
      let result = MainActor.assumeIsolated { [file, isAlive] in isAlive() ? file.write(bytes) : .success(0) }
      return try result.get()
    }

    func reopen() throws(OutputError) {
      try MainActor.assumeIsolated { [file, isAlive] in isAlive() ? file.reopen() : .success(()) }.get()
    }

    func close() throws(Errno) {}
  }
}

/// A database of many devices on a server.
@MainActor
final class SimulatedDatabase {
  var isReachable = true
  /// Seconds that a commit takes.
  var delay = 0.001
  /// The share of commits that fail, and of failing ones that were made all the same.
  var (abortedShare, unansweredShare) = (0.0, 0.0)
  var works: Bool { isReachable && abortedShare == 0 && delay < 1 }
  private(set) var records: [Key: DeviceRecord] = [:]
  /// The locations of each device, in the order of their commits.
  private(set) var locations: [String: [Location]] = [:]
  private(set) var crossings: [DeviceRecord] = []
  private let world: World

  struct Key: Hashable {
    let device: String
    let time: Date?
    let message: Int64
  }

  init(_ world: World) { self.world = world }

  func open(while isAlive: @escaping @MainActor @Sendable () -> Bool) -> sending any DeviceJournal {
    Client(self, isAlive)
  }

  fileprivate func commit(_ records: [DeviceRecord]) -> Result<Void, JournalError> {
    world.hang(delay)
    let failure = JournalError(.unavailable, path: "database", "is away")
    guard isReachable else { return .failure(failure) }
    let fails = world.isLucky(abortedShare)
    if fails && !world.isLucky(unansweredShare) { return .failure(failure) }
    for record in records {
      guard let location = record.record.location, let device = location.sourceInformation?.deviceIdentifier
      else { continue }
      let key = Key(device: device, time: record.record.time, message: record.message)
      guard self.records.updateValue(record, forKey: key) == nil else { continue }
      switch record.record {
      case .location: locations[device, default: []].append(location)
      case .crossing: crossings.append(record)
      case .error: break
      }
    }
    return fails ? .failure(failure) : .success(())
  }

  private nonisolated final class Client: DeviceJournal, Sendable {
    private let database: SimulatedDatabase
    private let isAlive: @MainActor @Sendable () -> Bool
    let name = "simulated database"

    @MainActor init(_ database: SimulatedDatabase, _ isAlive: @escaping @MainActor @Sendable () -> Bool) {
      (self.database, self.isAlive) = (database, isAlive)
    }

    func commit(_ records: [DeviceRecord]) throws(JournalError) {
      let result = MainActor.assumeIsolated { [database, isAlive] in
        isAlive() ? database.commit(records) : .failure(JournalError(.unavailable, path: "database", "is over"))
      }
      try result.get()
    }

    func takeNotices() -> [String] { [] }

    /// The locations of each device in the given time up to its newest, and some before them.
    private func locations(within seconds: Double, earlier count: Int) -> [Location] {
      let all = MainActor.assumeIsolated { [database] in
        database.records.values.compactMap { record -> Location? in
          if case .location(let location) = record.record, !record.isAhead { location } else { nil }
        }
      }
      return Dictionary(grouping: all) { $0.sourceInformation?.deviceIdentifier ?? "" }.sorted { $0.key < $1.key }
        .flatMap { _, locations in
          let sorted = locations.sorted { ($0.timestamp ?? .distantPast) < ($1.timestamp ?? .distantPast) }
          let start = (sorted.last?.timestamp ?? .distantPast) - seconds
          return sorted[max(0, (sorted.firstIndex { $0.timestamp ?? .distantPast >= start } ?? 0) - count)...]
        }
    }

    func newestLocations() throws(JournalError) -> [Location] { locations(within: 0, earlier: 0) }

    func recentLocations(within seconds: Double) throws(JournalError) -> [Location] {
      locations(within: seconds, earlier: 5)
    }

    func lastCrossings() throws(JournalError) -> [RegionCrossing] {
      let crossings = MainActor.assumeIsolated { [database] in database.crossings }
      var last: [String: RegionCrossing] = [:]
      for case .crossing(let crossing) in crossings.map(\.record) {
        let key = (crossing.location.sourceInformation?.deviceIdentifier ?? "") + "/" + crossing.region.identifier
        if let known = last[key]?.location.timestamp, let time = crossing.location.timestamp, known > time { continue }
        last[key] = crossing
      }
      return last.sorted { $0.key < $1.key }.map(\.value)
    }
  }
}

extension JournalRecord {
  var location: Location? {
    switch self {
    case .location(let location): location
    case .crossing(let crossing): crossing.location
    case .error: nil
    }
  }
}

extension Location {
  /// The number of a simulated fix.
  var number: Int { Int(altitude ?? -1) }
}
