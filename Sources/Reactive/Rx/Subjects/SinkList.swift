/// The sinks that are subscribed to a subject, in the order of their subscription. Not generic, so that it costs no
/// metadata at run time: who puts sinks of one element type in takes the same out.
struct SinkList: Sendable {
  struct Entry: Sendable {
    let key: UInt64
    let sink: AnySink
  }

  private(set) var entries: ContiguousArray<Entry> = []
  private var nextKey: UInt64 = 0

  /// Adds a sink; the key removes it.
  mutating func insert(_ sink: AnySink) -> UInt64 {
    let key = nextKey
    nextKey += 1
    entries.append(Entry(key: key, sink: sink))
    return key
  }

  /// Removes a sink. Returns it, so that it goes away outside of whatever lock is held.
  mutating func remove(_ key: UInt64) -> AnySink? {
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].key < key { low = middle + 1 } else { high = middle }
    }
    guard low < entries.count, entries[low].key == key else { return nil }
    return entries.remove(at: low).sink
  }

  /// Removes all sinks and returns them.
  mutating func removeAll() -> ContiguousArray<Entry> {
    let entries = entries
    self.entries = []
    return entries
  }
}
