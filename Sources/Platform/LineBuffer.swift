import Glibc

/// Cuts a stream of bytes into lines. A line longer than the limit is dropped as a whole, which bounds memory.
package struct LineBuffer {
  /// A gpsd report with every field and satellite is below 20 KiB.
  package static let limit = 65_536
  private let limit: Int

  package init(limit: Int = LineBuffer.limit) { self.limit = limit }

  package private(set) var droppedLines = 0
  /// Whether the bytes so far end in the middle of a line.
  package var isPartial: Bool { isDropping || !partial.isEmpty }
  private var partial: [UInt8] = []
  private var isDropping = false

  /// Appends the next bytes and calls `body` for each non-empty line that they complete, without its line end. The line
  /// is valid only during the call.
  package mutating func append<Failure: Error>(
    _ bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    var rest = bytes
    while let start = rest.baseAddress, let newline = memchr(start, Int32(UInt8(ascii: "\n")), rest.count) {
      let length = start.distance(to: UnsafeRawPointer(newline))
      let line = UnsafeRawBufferPointer(rebasing: rest[..<length])
      rest = UnsafeRawBufferPointer(rebasing: rest[(length + 1)...])
      if isDropping {
        isDropping = false
      } else if partial.count + length > limit {
        droppedLines += 1
      } else if partial.isEmpty {
        try Self.emit(line, body)
      } else {
        partial.append(contentsOf: line)
        try partial.withUnsafeBufferPointer { bytes throws(Failure) in
          try Self.emit(UnsafeRawBufferPointer(bytes), body)
        }
      }
      partial.removeAll(keepingCapacity: true)
    }
    guard !isDropping else { return }
    if partial.count + rest.count > limit {
      partial.removeAll(keepingCapacity: true)
      droppedLines += 1
      isDropping = true
    } else {
      partial.append(contentsOf: rest)
    }
  }

  private static func emit<Failure: Error>(
    _ line: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    let end = line.last == UInt8(ascii: "\r") ? line.count - 1 : line.count
    if end > 0 { try body(UnsafeRawBufferPointer(rebasing: line[..<end])) }
  }
}
