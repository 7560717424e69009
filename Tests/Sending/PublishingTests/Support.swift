import Foundation
import Journal
import LocationKit
import Publishing
import Synchronization
import TestSupport

/// A journal in memory.
final class MemoryQueue: JournalQueue {
  private struct State {
    var entries: [JournalEntry] = []
    var cursor: Int64 = 0
    var advances: [Int64] = []
    var times: [String: Int] = [:]
  }

  private let state = Mutex(State())

  var cursor: Int64 { state.withLock { $0.cursor } }
  /// Where the cursor was moved to, in order.
  var advances: [Int64] { state.withLock { $0.advances } }

  @discardableResult
  func append(_ record: JournalRecord) -> Int64 {
    state.withLock { state in
      let sequence = Int64(state.entries.count + 1)
      state.entries.append(JournalEntry(sequence: sequence, record: record))
      return sequence
    }
  }

  func entries(after sequence: Int64, limit: Int) -> [JournalEntry] {
    state.withLock { Array($0.entries.dropFirst(Int(sequence)).prefix(limit)) }
  }

  func fenceStates(after sequence: Int64) -> [String: Bool] {
    state.withLock { state in
      var states: [String: Bool] = [:]
      for entry in state.entries.prefix(Int(sequence)) {
        if case .crossing(let crossing) = entry.record {
          states[crossing.region.identifier] = crossing.state == .inside
        }
      }
      return states
    }
  }

  func waypointTimes(of fences: [String], now: Int) -> [String: Int] {
    state.withLock { state in
      for fence in fences where state.times[fence] == nil {
        state.times[fence] = max(now, (state.times.values.max() ?? 0) + 1)
      }
      return state.times
    }
  }

  func newestSequence() -> Int64 { state.withLock { Int64($0.entries.count) } }

  func advance(to sequence: Int64) {
    state.withLock { state in
      state.cursor = max(state.cursor, sequence)
      state.advances.append(sequence)
    }
  }

  func waiting() -> JournalWaiting {
    state.withLock { state in
      let rest = state.entries.dropFirst(Int(state.cursor))
      return JournalWaiting(count: rest.count, oldest: rest.first?.record.time)
    }
  }
}

/// A fix, `seconds` after a fixed moment.
func fix(_ seconds: Double, latitude: Double = 37.7858, accuracy: Double? = 5) -> Location {
  Location(
    coordinate: LocationCoordinate2D(latitude: latitude, longitude: -122.4064), horizontalAccuracy: accuracy,
    timestamp: Date(timeIntervalSince1970: 1_700_000_000 + seconds))
}

let home = CircularRegion(
  center: LocationCoordinate2D(latitude: 37.7858, longitude: -122.4064), radius: 50, identifier: "home")

func crossing(_ state: RegionState, _ seconds: Double, region: CircularRegion = home) -> RegionCrossing {
  RegionCrossing(
    .circle(region), state,
    at: Location(
      coordinate: region.center, horizontalAccuracy: 4.2,
      timestamp: Date(timeIntervalSince1970: 1_700_000_000 + seconds)))
}

extension PublisherConfiguration {
  /// For a broker on loopback, with short waits.
  init(port: UInt16, usesTLS: Bool = false, host: String = "127.0.0.1") {
    self.init(address: .broker(host: host, port: port, usesTLS: usesTLS), topic: "owntracks/user/device")
    session.minimumRetryDelay = 0.05
    session.maximumRetryDelay = 0.2
    session.connectTimeout = 5
  }
}

extension Publisher {
  /// Ends it without waiting for the broker.
  func end() async {
    stop()
    await finish()
  }
}

/// The numbers of the fixes in messages, by their times.
func numbers(_ messages: [BrokerSubscriber.Message]) -> [Int] {
  messages.compactMap { ($0.json["tst"] as? Int).map { $0 - 1_700_000_000 } }
}
