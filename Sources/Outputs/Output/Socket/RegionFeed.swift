import NIOCore
import Synchronization

/// Region updates on their way from the publishing thread to the loop.
final class RegionFeed: Sendable {
  private struct State: Sendable {
    var ring: RegionRing
    var latest: [UInt8] = []
    var isFlushScheduled = false
    var statistics = RegionSocket.Statistics()
  }

  private let state: Mutex<State>

  init(byteLimit: Int, lineLimit: Int) {
    state = Mutex(State(ring: RegionRing(byteLimit: byteLimit, lineLimit: lineLimit)))
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

/// The newest region updates, numbered from 0 on, in a bounded ring.
///
/// All clients share it: each has a cursor, the number of its next update. One that falls behind the ring's oldest
/// has lost the difference. So a client costs a number, however slow it is.
struct RegionRing: Sendable {
  private var bytes: [UInt8]
  /// The absolute position of each line's end, by number modulo the count.
  private var ends: [Int]
  /// The number of the oldest line that is kept.
  private(set) var oldest = 0
  /// The number of the next line.
  private(set) var next = 0
  /// The absolute positions of the oldest line's first byte and of the byte after the newest.
  private var start = 0
  private var end = 0

  init(byteLimit: Int, lineLimit: Int) {
    bytes = [UInt8](repeating: 0, count: max(byteLimit, 1))
    ends = [Int](repeating: 0, count: max(lineLimit, 1))
  }

  /// Adds a line at the expense of the oldest; one that is larger than the ring counts as lost at once.
  mutating func append(_ line: UnsafeRawBufferPointer) {
    let fits = line.count <= bytes.count
    while oldest < next
      && (!fits || next - oldest == ends.count || end - start + line.count > bytes.count)
    {
      start = ends[oldest % ends.count]
      oldest += 1
    }
    guard fits else {
      next += 1
      oldest = next
      return
    }
    bytes.withUnsafeMutableBytes { ring in
      let position = end % ring.count
      let first = min(line.count, ring.count - position)
      UnsafeMutableRawBufferPointer(rebasing: ring[position...]).copyMemory(
        from: UnsafeRawBufferPointer(rebasing: line[..<first]))
      ring.copyMemory(from: UnsafeRawBufferPointer(rebasing: line[first...]))
    }
    end += line.count
    ends[next % ends.count] = end
    next += 1
  }

  /// Forgets the lines, not the numbers.
  mutating func removeAll() {
    oldest = next
    start = end
  }

  /// Copies lines from `cursor` on, at least one and then as many as `limit` bytes hold, to `buffer`; returns the
  /// number of the line after them. `cursor` must lie in `oldest ..< next`.
  func copy(from cursor: Int, limit: Int, to buffer: inout ByteBuffer) -> Int {
    guard cursor >= oldest, cursor < next else { return cursor }
    let first = cursor == oldest ? start : ends[(cursor - 1) % ends.count]
    var last = cursor + 1
    while last < next && ends[last % ends.count] - first <= limit { last += 1 }
    let length = ends[(last - 1) % ends.count] - first
    bytes.withUnsafeBytes { ring in
      let position = first % ring.count
      let head = min(length, ring.count - position)
      buffer.writeBytes(ring[position..<position + head])
      buffer.writeBytes(ring[..<(length - head)])
    }
    return last
  }
}
