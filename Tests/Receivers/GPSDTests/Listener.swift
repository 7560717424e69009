import GPSD
import LocationKit
import Testing
import TestSupport

/// Keeps what a source delivers.
@MainActor
final class Listener: LocationSourceReceiver {
  private(set) var events: [LocationSourceEvent] = []
  private(set) var log: [(level: GPSDLogLevel, text: String)] = []

  /// Attaches to `source`, its log included.
  init(_ source: GPSDSource) {
    source.onLog = { [weak self] in self?.log.append(($0, $1)) }
    source.attach(self)
  }

  func receive(_ event: LocationSourceEvent) {
    events.append(event)
  }

  /// Forgets everything so far.
  func clear() {
    events = []
    log = []
  }

  var locations: [Location] { events.compactMap { if case .location(let value) = $0 { value } else { nil } } }
  var headings: [Heading] { events.compactMap { if case .heading(let value) = $0 { value } else { nil } } }
  var failures: [LocationError] { events.compactMap { if case .failed(let value) = $0 { value } else { nil } } }
  var statuses: [LocationSourceStatus] { events.compactMap { if case .status(let value) = $0 { value } else { nil } } }
  var noFixes: Int { events.count { $0 == .noFix } }

  /// The log without what is only for looking for faults.
  var notableLog: [String] { log.filter { $0.level != .debug }.map(\.text) }

  /// How often the source said that it is connected.
  var connections: Int { statuses.count { if case .connected = $0 { true } else { false } } }
}

extension LoopbackSocket {
  /// Waits for a client without keeping the main actor busy, which the source needs.
  @MainActor func nextClient() async throws -> LoopbackSocket {
    try #require(await eventually { isReadable(within: 0) })
    return try accept()
  }

  /// What arrives next, waited for without keeping the main actor busy; empty at the end of the stream.
  @MainActor func next() async throws -> [UInt8] {
    try #require(await eventually { isReadable(within: 0) })
    return receive() ?? []
  }
}

/// Detaches itself within the delivery of each location.
@MainActor
final class StopsAtOnce: LocationSourceReceiver {
  private(set) var count = 0
  private let source: GPSDSource

  init(_ source: GPSDSource) {
    self.source = source
    source.attach(self)
  }

  func receive(_ event: LocationSourceEvent) {
    guard case .location = event else { return }
    count += 1
    source.detach(self)
  }
}

/// Counts what a source delivers to somebody who does not want everything.
@MainActor
final class PartListener: LocationSourceReceiver {
  let interests: LocationSourceInterests
  private(set) var locations: [Location] = []
  /// Satellites and headings.
  private(set) var others = 0

  init(_ source: GPSDSource, to interests: LocationSourceInterests) {
    self.interests = interests
    source.attach(self)
  }

  func receive(_ event: LocationSourceEvent) {
    switch event {
    case .location(let location): locations.append(location)
    case .satellites, .heading: others += 1
    case .noFix, .status, .failed, .finished: break
    }
  }
}
