/// The proxies of objects whose classes cannot hold them, by the objects' addresses.
///
/// An entry holds its object weakly. When that is gone, the entry is removed by the next use of the table that comes upon
/// it or finds the table grown to twice its size, and, while any of its streams is subscribed to, by a look every quarter
/// of a second. So the table has never more than twice as many entries as there are living objects, and a few. A new object
/// at an old address is told from the old one by the weak reference.
@MainActor
final class DelegateProxySideTable {
  private struct Entry {
    weak var parent: AnyObject?
    let proxies: DelegateProxies
  }

  static let shared = DelegateProxySideTable()

  private static let smallest = 64
  private static let interval = Duration.milliseconds(250)

  private var entries: [ObjectIdentifier: Entry] = [:]
  private var limit = smallest
  private var watch: Task<Void, Never>?

  /// How many entries there are, living or not.
  var count: Int { entries.count }

  /// The proxies of `object`.
  func proxies(of object: AnyObject) -> DelegateProxies {
    proxies(of: object, at: ObjectIdentifier(object))
  }

  /// The proxies of `object`, whose address is `key`.
  func proxies(of object: AnyObject, at key: ObjectIdentifier) -> DelegateProxies {
    if let entry = entries[key], entry.parent === object { return entry.proxies }
    if entries.count >= limit {
      removeOrphans()
      limit = max(Self.smallest, entries.count * 2)
    }
    let proxies = DelegateProxies { [unowned self] in self.watchOrphans() }
    // A dead object's entry under the same address is released, and completes its streams, after it was replaced.
    let orphan = entries.updateValue(Entry(parent: object, proxies: proxies), forKey: key)
    withExtendedLifetime(orphan) {}
    return proxies
  }

  /// Removes the entries of objects that are gone; their streams complete.
  func removeOrphans() {
    let orphans = entries.filter { $0.value.parent == nil }
    for key in orphans.keys { entries[key] = nil }
    // Streams complete here, when the table is consistent.
    withExtendedLifetime(orphans) {}
  }

  private func watchOrphans() {
    guard watch == nil, isObserved else { return }
    watch = Task {
      while isObserved {
        try? await Task.sleep(for: Self.interval)
        removeOrphans()
      }
      watch = nil
    }
  }

  private var isObserved: Bool {
    entries.values.contains { $0.proxies.isObserved }
  }
}
