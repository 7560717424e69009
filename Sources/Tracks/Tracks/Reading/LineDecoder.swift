/// The format of a recording with one record per line.
protocol LineFormat {
  /// Reads a line without its end.
  mutating func read(_ bytes: UnsafeBufferPointer<UInt8>, line: Int, _ emit: (DecodedRecord) -> Void)
}

/// A recording with one record per line. Empty lines are ignored. A line of more than 1 MiB is skipped, and not kept in
/// memory.
struct LineDecoder<Format: LineFormat>: TrackDecoder {
  private var format: Format
  private var line = 0
  /// The beginning of a line whose end has not been read yet.
  private var pending: [UInt8] = []
  /// Whether the line whose end has not been read yet is too long; none of it is kept.
  private var isTooLong = false

  private var longestLine: Int { 1 << 20 }

  init(_ format: Format) { self.format = format }

  mutating func decode(_ bytes: UnsafeBufferPointer<UInt8>, _ emit: (DecodedRecord) -> Void) {
    var rest = bytes[...]
    while let end = rest.firstIndex(of: 0x0A) {
      let piece = UnsafeBufferPointer(rebasing: rest[..<end])
      rest = rest[(end + 1)...]
      line += 1
      if pending.isEmpty, !isTooLong, piece.count <= longestLine {
        read(piece, emit)
      } else {
        keep(piece[...])
        endPending(emit)
      }
    }
    keep(rest)
  }

  mutating func finish(_ emit: (DecodedRecord) -> Void) {
    line += 1
    endPending(emit)
  }

  private mutating func keep(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) {
    if pending.count + bytes.count > longestLine { isTooLong = true }
    if isTooLong { pending = [] } else { pending += bytes }
  }

  private mutating func endPending(_ emit: (DecodedRecord) -> Void) {
    let whole = pending
    pending.removeAll(keepingCapacity: true)
    if isTooLong { emit(.skipped(RecordFault(.damaged, "is longer than 1 MiB"), line: line)) }
    isTooLong = false
    whole.withUnsafeBufferPointer { read($0, emit) }
  }

  private mutating func read(_ bytes: UnsafeBufferPointer<UInt8>, _ emit: (DecodedRecord) -> Void) {
    var bytes = bytes
    // Files that were put together have a byte order mark in the middle.
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes = UnsafeBufferPointer(rebasing: bytes[3...]) }
    if bytes.allSatisfy(\.isSpace) { return }
    format.read(bytes, line: line, emit)
  }
}
