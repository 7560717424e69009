import NIOCore

/// The newest messages to the clients of a server, numbered from 0, in a bounded ring.
///
/// All clients share it: each has a cursor, the number of its next message. A client that falls behind the oldest
/// message has lost the difference. So a client costs a number, however slow it is.
package struct MessageRing: Sendable {
  private var bytes: [UInt8]
  /// The absolute position of each message's end, by number modulo the count.
  private var ends: [Int]
  package private(set) var oldest = 0
  package private(set) var next = 0
  /// The absolute positions of the oldest message's first byte and of the byte after the newest.
  private var start = 0
  private var end = 0

  package init(byteLimit: Int, messageLimit: Int) {
    bytes = [UInt8](repeating: 0, count: max(byteLimit, 1))
    ends = [Int](repeating: 0, count: max(messageLimit, 1))
  }

  /// Adds a message and removes the oldest ones if necessary. A message that is larger than the ring counts as lost at
  /// once.
  package mutating func append(_ message: UnsafeRawBufferPointer) {
    let fits = message.count <= bytes.count
    while oldest < next
      && (!fits || next - oldest == ends.count || end - start + message.count > bytes.count)
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
      let first = min(message.count, ring.count - position)
      UnsafeMutableRawBufferPointer(rebasing: ring[position...]).copyMemory(
        from: UnsafeRawBufferPointer(rebasing: message[..<first]))
      ring.copyMemory(from: UnsafeRawBufferPointer(rebasing: message[first...]))
    }
    end += message.count
    ends[next % ends.count] = end
    next += 1
  }

  /// Removes all messages and skips a number, so that every reader has lost something.
  package mutating func skip() {
    next += 1
    oldest = next
    start = end
  }

  /// Copies messages from `cursor` on to `buffer`, at least one and then as many as fit in `limit` bytes; returns the
  /// number of the next message. `cursor` must lie in `oldest ..< next`.
  package func copy(from cursor: Int, limit: Int, to buffer: inout ByteBuffer) -> Int {
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
