import GPSD
import LocationKit
import Platform
import Testing
import TestSupport

@MainActor
final class Listener: LocationSourceReceiver {
  let source: GPSDSource
  let interests: LocationSourceInterests
  private(set) var events: [LocationSourceEvent] = []
  private(set) var log: [(level: GPSDLogLevel, text: String)] = []
  /// Runs within the delivery of each location.
  var onLocation: (() -> Void)?

  /// Attaches to `source`, its log included.
  init(_ source: GPSDSource, to interests: LocationSourceInterests = .all) {
    (self.source, self.interests) = (source, interests)
    source.onLog = { [weak self] in self?.log.append(($0, $1)) }
    source.attach(self)
  }

  func receive(_ event: LocationSourceEvent) {
    events.append(event)
    if case .location = event { onLocation?() }
  }

  func clear() {
    events = []
    log = []
  }

  /// Detaches from the source, and returns how many seconds that took.
  @discardableResult
  func stop() -> Double {
    let start = monotonicSeconds()
    source.detach(self)
    return monotonicSeconds() - start
  }

  var locations: [Location] { events.compactMap { if case .location(let value) = $0 { value } else { nil } } }
  var headings: [Heading] { events.compactMap { if case .heading(let value) = $0 { value } else { nil } } }
  var satellites: [[Satellite]] { events.compactMap { if case .satellites(let value) = $0 { value } else { nil } } }
  var failures: [LocationError] { events.compactMap { if case .failed(let value) = $0 { value } else { nil } } }
  var statuses: [LocationSourceStatus] { events.compactMap { if case .status(let value) = $0 { value } else { nil } } }
  var noFixes: Int { events.count { $0 == .noFix } }

  /// The pauses before another try, with their reasons.
  var pauses: [(reason: String, seconds: Double)] {
    statuses.compactMap { if case .waiting(let reason, let seconds) = $0 { (reason, seconds) } else { nil } }
  }

  /// The log without what is only for looking for faults.
  var notableLog: [String] { log.filter { $0.level != .debug }.map(\.text) }

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
