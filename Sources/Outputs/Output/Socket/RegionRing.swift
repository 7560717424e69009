import NIOCore

/// The newest region updates, numbered from 0 on, in a bounded ring.
///
/// All readers share it: each has a cursor, the number of its next update. One that falls behind the ring's oldest
/// has lost the difference. So a reader costs a number, however slow it is.
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
