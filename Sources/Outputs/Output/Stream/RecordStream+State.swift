import Dispatch

extension RecordStream {
  /// What callers and the writing thread share, under the stream's lock.
  struct State: Sendable {
    /// Whole records that wait, from `head` on; before it lie lost ones.
    var waiting: [UInt8] = []
    var head = 0
    /// The length of each record that waits, from `firstLength` on.
    var lengths: [Int] = []
    var firstLength = 0
    /// Records lost just before those that wait, and not yet told.
    var untold = 0
    /// The thread sleeps until this many bytes wait; `nil` while it is awake.
    var wakesAt: Int?
    /// The caller's own way to the destination, if there is one.
    var pipe: NonblockingPipe?
    /// When something was written, in nanoseconds of the monotonic clock.
    var lastWrite: UInt64 = 0
    /// Callers that wait for room.
    var blocked = 0
    var wantsReopen = false
    var isFinishing = false
    var isCancelled = false
    var end: End?
    var statistics = Statistics()

    /// Until when records are gathered, to be written in one piece.
    var gatheringEnds: UInt64 { lastWrite + 1_000_000 }

    var isClosed: Bool { isFinishing || isCancelled || end != nil }

    mutating func add(_ record: UnsafeRawBufferPointer) {
      waiting.append(contentsOf: record)
      lengths.append(record.count)
      statistics.records += 1
    }

    /// Writes a record in place of the thread, which saves waking it: only when that sleeps with nothing to do, and there
    /// was little to do lately. Returns whether it is written.
    mutating func writeAtOnce(_ record: UnsafeRawBufferPointer) -> Bool {
      guard let pipe, wakesAt == 1 else { return false }
      let now = DispatchTime.now().uptimeNanoseconds
      guard now >= gatheringEnds, pipe.write(record) else { return false }
      lastWrite = now
      statistics.records += 1
      statistics.bytes += record.count
      return true
    }

    mutating func dropOldest(toFit length: Int, in limit: Int) {
      while firstLength < lengths.count && waiting.count - head + length > limit {
        head += lengths[firstLength]
        firstLength += 1
        untold += 1
        statistics.dropped += 1
      }
      // The lost ones are moved out when they are half of it all, so that each byte moves once on average.
      if head > waiting.count / 2 {
        waiting.removeFirst(head)
        lengths.removeFirst(firstLength)
        head = 0
        firstLength = 0
      }
    }

    mutating func removeAll() {
      waiting.removeAll(keepingCapacity: true)
      lengths.removeAll(keepingCapacity: true)
      head = 0
      firstLength = 0
    }

    /// Whether the caller has to wake the thread; says so once per sleep.
    mutating func takeWake(urgent: Bool = false) -> Bool {
      guard let wakesAt, urgent || waiting.count - head >= wakesAt else { return false }
      self.wakesAt = nil
      return true
    }

    mutating func takeBlocked() -> Int {
      defer { blocked = 0 }
      return blocked
    }
  }
}
