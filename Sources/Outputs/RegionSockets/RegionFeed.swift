import NIOCore
import Sockets
import Synchronization

/// Region updates on their way from the publishing thread to the loop.
final class RegionFeed: Sendable {
  private struct State: Sendable {
    var ring: MessageRing
    var latest: [UInt8] = []
    var isFlushScheduled = false
    var statistics = RegionSocket.Statistics()
  }

  private let state: Mutex<State>

  init(byteLimit: Int, lineLimit: Int) {
    state = Mutex(State(ring: MessageRing(byteLimit: byteLimit, messageLimit: lineLimit)))
  }

  /// What happened so far.
  var statistics: RegionSocket.Statistics { state.withLock { $0.statistics } }

  /// Counts something.
  func count(_ change: (inout RegionSocket.Statistics) -> Void) {
    state.withLock { change(&$0.statistics) }
  }

  /// Takes an update; returns whether the caller has to schedule a flush, which it has once per flush.
  func publish(_ line: UnsafeRawBufferPointer) -> Bool {
    state.withLock { state in
      state.statistics.published &+= 1
      state.latest.removeAll(keepingCapacity: true)
      state.latest.append(contentsOf: line)
      // Without a reader the newest line is all that anyone will ever ask for.
      guard state.statistics.readers > 0 else { return false }
      state.ring.append(line)
      defer { state.isFlushScheduled = true }
      return !state.isFlushScheduled
    }
  }

  /// Counts a new reader in; returns its cursor and appends the current region.
  func join(_ buffer: inout ByteBuffer) -> Int {
    state.withLock { state in
      state.statistics.readers += 1
      state.statistics.accepted += 1
      buffer.writeBytes(state.latest)
      return state.ring.next
    }
  }

  /// Counts a reader out.
  func leave() {
    state.withLock { state in
      state.statistics.readers -= 1
      if state.statistics.readers == 0 { state.ring.removeAll() }
    }
  }

  /// The flush begins: what is published from now on needs another. Returns the number of the next update.
  func beginFlush() -> Int {
    state.withLock { state in
      state.isFlushScheduled = false
      return state.ring.next
    }
  }

  /// Appends updates from `cursor` on, about `limit` bytes; returns how many were lost before them and the cursor
  /// behind them.
  func read(from cursor: Int, limit: Int, into buffer: inout ByteBuffer) -> (lost: Int, cursor: Int) {
    state.withLock { state in
      let first = max(cursor, state.ring.oldest)
      state.statistics.dropped += first - cursor
      return (first - cursor, state.ring.copy(from: first, limit: limit, to: &buffer))
    }
  }
}
