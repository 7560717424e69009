/// A clock that moves only when it is told to: a recording's time, or a test's.
@MainActor
public final class VirtualClock: LocationClock {
  private struct Entry {
    var due: Double
    var id: Int
    var action: @MainActor () -> Void
  }

  /// Seconds since this clock's start.
  public private(set) var now: Double = 0
  private var entries: [Entry] = []
  private var nextID = 0

  /// Creates a clock at 0 s.
  public init() {}

  /// Moves the clock to `time`, running on the way what is due, in order of due time. Does nothing when
  /// `time` is not ahead of `now`.
  public func advance(to time: Double) {
    while let index = nextIndex(notAfter: time) {
      let entry = entries.remove(at: index)
      now = max(now, entry.due)
      entry.action()
    }
    now = max(now, time)
  }

  /// Moves the clock on by `seconds`.
  public func advance(by seconds: Double) {
    advance(to: now + seconds)
  }

  /// Runs `action` when the clock is moved `seconds` ahead or further.
  public func schedule(after seconds: Double, _ action: @escaping @MainActor () -> Void) -> LocationTimer {
    nextID += 1
    let id = nextID
    entries.append(Entry(due: now + max(0, seconds), id: id, action: action))
    return LocationTimer { [weak self] in self?.entries.removeAll { $0.id == id } }
  }

  private func nextIndex(notAfter time: Double) -> Int? {
    var found: Int?
    for (index, entry) in entries.enumerated() where entry.due <= time {
      // Ids grow, so the first of equals stays first.
      if let best = found, entries[best].due <= entry.due { continue }
      found = index
    }
    return found
  }
}
