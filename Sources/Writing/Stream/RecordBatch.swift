/// Complete records in order, and how far they have been written.
struct RecordBatch: OutboxBatch {
  private(set) var bytes: [UInt8] = []
  private var ends: [Int] = []
  private(set) var position = 0
  private var written = 0

  var size: Int { bytes.count }

  /// The end of the first record that is not written.
  var endOfNext: Int { written < ends.count ? ends[written] : bytes.count }

  var unwrittenRecords: Int { ends.count - written }

  var isWritten: Bool { position == bytes.count }

  var isAtBoundary: Bool { position == (written == 0 ? 0 : ends[written - 1]) }

  mutating func append(_ record: UnsafeRawBufferPointer, isRecord: Bool) {
    bytes.append(contentsOf: record)
    if isRecord { ends.append(bytes.count) }
  }

  mutating func advance(by count: Int) {
    position += count
    while written < ends.count && ends[written] <= position { written += 1 }
  }

  mutating func removeOldest(downTo size: Int) -> Int {
    let last = ends.firstIndex { bytes.count - $0 <= size } ?? ends.count - 1
    let removed = ends[last]
    bytes.removeFirst(removed)
    ends = ends[(last + 1)...].map { $0 - removed }
    return last + 1
  }

  /// Puts `note` before the first record, as a part of it.
  mutating func prepend(_ note: UnsafeRawBufferPointer) {
    bytes.insert(contentsOf: note, at: 0)
    ends = ends.map { $0 + note.count }
  }

  mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
    position = 0
    written = 0
  }
}
