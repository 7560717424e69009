import CSQLite
import Foundation
import LocationKit
import TestSupport
import Testing
import Writing

@testable import Journal

let everything = Location(
  coordinate: LocationCoordinate2D(latitude: 37.785834, longitude: -122.406417), altitude: 10.1,
  ellipsoidalAltitude: -22.4, horizontalAccuracy: 5, verticalAccuracy: 9, course: 10.3, courseAccuracy: 4.1, speed: 1.2,
  speedAccuracy: 0.4, climb: -0.1, timestamp: Date(timeIntervalSince1970: 1_708_760_163.125), mode: .threeDimensional,
  satellitesUsed: 9, satellitesSeen: 12,
  quality: GNSSQuality(
    status: .rtkFloat, hdop: 0.9, vdop: 1.5, pdop: 1.7, tdop: 0.8, gdop: 1.9, geoidSeparation: -32.5, dgpsAge: 1.5,
    dgpsStation: 4095),
  sourceInformation: LocationSourceInformation(device: "/dev/ttyUSB0", isSimulatedBySoftware: true, isHeld: true),
  doubts: [.speed, .date])

let home = CircularRegion(
  center: LocationCoordinate2D(latitude: 37.7858, longitude: -122.4064), radius: 50, identifier: "home")
let work = CircularRegion(center: home.center, radius: 80, identifier: "work")

func location(_ number: Int) -> Location {
  var location = everything
  location.timestamp = Date(timeIntervalSince1970: 1_700_000_000 + Double(number) / 10)
  location.coordinate.latitude = Double(number % 90)
  return location
}

/// Tests of a journal in a folder of their own.
protocol JournalSuite {
  var folder: TestSupport.TemporaryFolder { get }
  var notices: Recorder<OutputNotice> { get }
}

extension JournalSuite {
  var path: String { folder.file("journal.db") }

  func writer(_ mode: OutboxMode = .live, limit: Int = 1 << 22) throws -> JournalWriter {
    try JournalWriter(path: path, limit: limit, mode: mode, onNotice: notices.record)
  }

  /// Writes the locations of these numbers, and closes the journal.
  func write(_ numbers: ClosedRange<Int>) async throws {
    let writer = try writer(.replay, limit: 1 << 24)
    for number in numbers { writer.append(.location(location(number))) }
    #expect(await writer.finish() == .finished)
  }

  func size() throws -> Int { try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0 }

  /// Copies the database and its log, as SIGKILL leaves them.
  func copyAsKilled(to copy: String) throws {
    for suffix in ["", "-wal"] { try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix) }
  }
}

extension JournalWriter {
  /// Waits until everything that was appended is committed, or cannot be just now.
  func flush() async { _ = await eventually { isIdle || statistics.isFailing } }
}

extension JournalWriter.End {
  var failure: JournalError? { if case .failed(let error) = self { error } else { nil } }
}

/// Expects that something fails for a reason and with some words, and returns the message.
@discardableResult
func expectFailure(_ reason: JournalError.Reason, _ words: String? = nil, _ body: () throws -> Void) -> String? {
  let error = #expect(throws: JournalError.self) { try body() }
  #expect(error?.reason == reason, "\(String(describing: error))")
  if let words { #expect(error?.message.contains(words) == true, "\(String(describing: error))") }
  return error?.message
}

/// Runs statements on a database of its own.
func execute(_ sql: String, in path: String) throws {
  var handle: OpaquePointer?
  defer { sqlite3_close(handle) }
  guard sqlite3_open(path, &handle) == SQLITE_OK, sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else {
    throw CocoaError(.fileWriteUnknown)
  }
}
