import NIOCore

/// The newest messages to the clients of a server, numbered from 0, in a bounded ring.
///
/// Each client has a cursor, the number of its next message. A client that falls behind the oldest message has lost the
/// difference.
///
/// A message has a topic, a bit. Those of topic 0 are for every client, the others only for clients that want them.
package struct MessageRing: Sendable {
  private var bytes: [UInt8]
  /// The absolute position of each message's end, by number modulo the count.
  private var ends: [Int]
  private var topics: [UInt8]
  /// The messages of each topic that were appended, and those that were removed again.
  package private(set) var appended = MessageTally()
  package private(set) var removed = MessageTally()
  package private(set) var oldest = 0
  package private(set) var next = 0
  /// The absolute positions of the oldest message's first byte and of the byte after the newest.
  private var start = 0
  private var end = 0

  package init(byteLimit: Int, messageLimit: Int) {
    bytes = [UInt8](repeating: 0, count: max(byteLimit, 1))
    ends = [Int](repeating: 0, count: max(messageLimit, 1))
    topics = [UInt8](repeating: 0, count: ends.count)
  }

  /// Adds a message and removes the oldest ones if necessary. A message that is larger than the ring counts as lost at
  /// once.
  package mutating func append(_ message: UnsafeRawBufferPointer, topic: UInt8 = 0) {
    appended[Int(topic)] += 1
    let fits = message.count <= bytes.count
    while oldest < next
      && (!fits || next - oldest == ends.count || end - start + message.count > bytes.count)
    {
      start = ends[oldest % ends.count]
      removed[Int(topics[oldest % ends.count])] += 1
      oldest += 1
    }
    guard fits else {
      removed[Int(topic)] += 1
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
    (ends[next % ends.count], topics[next % ends.count]) = (end, topic)
    next += 1
  }

  /// Removes all messages and skips a number, so that every reader has lost something.
  package mutating func skip() {
    appended[0] += 1
    removed = appended
    next += 1
    oldest = next
    start = end
  }

  /// Copies the wanted messages from `cursor` on to `buffer`. It passes over at least one message, and then as many as have
  /// `limit` bytes; returns the number of the next message. `cursor` must lie in `oldest ..< next`.
  package func copy(from cursor: Int, wanting wanted: UInt8 = .max, limit: Int, to buffer: inout ByteBuffer) -> Int {
    guard cursor >= oldest, cursor < next else { return cursor }
    let first = cursor == oldest ? start : ends[(cursor - 1) % ends.count]
    var (number, run, position) = (cursor, first, first)
    repeat {
      let end = ends[number % ends.count]
      if topics[number % ends.count] & ~wanted != 0 {
        copy(run..<position, to: &buffer)
        run = end
      }
      position = end
      number += 1
    } while number < next && ends[number % ends.count] - first <= limit
    copy(run..<position, to: &buffer)
    return number
  }

  private func copy(_ positions: Range<Int>, to buffer: inout ByteBuffer) {
    bytes.withUnsafeBytes { ring in
      let position = positions.lowerBound % ring.count
      let head = min(positions.count, ring.count - position)
      buffer.writeBytes(ring[position..<position + head])
      buffer.writeBytes(ring[..<(positions.count - head)])
    }
  }

  /// The messages of each topic before a number. Those that are no longer known count as messages for every client.
  package func tally(before number: Int) -> MessageTally {
    // Without topics, and for a client that has everything, there is nothing to count.
    if appended[0] == next { return MessageTally(number, 0, 0, 0) }
    if number < oldest { return removed &- MessageTally(oldest - number, 0, 0, 0) }
    var tally = appended
    for later in number..<next { tally[Int(topics[later % ends.count])] -= 1 }
    return tally
  }
}

/// The number of messages by topic, 0 to 3.
package typealias MessageTally = SIMD4<Int>

extension MessageTally {
  /// The number of messages of the wanted topics.
  package func count(wanting wanted: UInt8) -> Int { indices.reduce(0) { $1 & ~Int(wanted) == 0 ? $0 + self[$1] : $0 } }
}
