public import FoundationEssentials

extension LocationManager {
  /// Reasons to doubt the last fix, as of its arrival; empty unless doubts are monitored. Not Core Location's.
  public var doubts: Doubts { doubtMonitor?.watch.doubts ?? [] }

  /// Starts to look for reasons to doubt the fixes, unless that has started already. Not Core Location's.
  ///
  /// The fixes then have their `doubts`, and the delegate receives `didChangeDoubts`. Nothing is requested from the source
  /// for that: the signals of satellites are compared only between `startUpdatingSatellites()` and
  /// `stopUpdatingSatellites()`.
  ///
  /// - Parameter notBefore: Earlier dates are impossible, such as that of the program. Dates are not judged with `nil`, as
  ///   in the replay of a recording, which may be old and joined of several.
  public func startMonitoringDoubts(notBefore: Date? = nil) {
    if doubtMonitor == nil { doubtMonitor = DoubtMonitor(DoubtWatch(earliest: notBefore)) }
  }

  /// Stops to look for reasons to doubt the fixes, and forgets those that were found.
  public func stopMonitoringDoubts() { doubtMonitor = nil }
}

// A class, so that a manager that does not monitor doubts needs no memory for them.
@MainActor
final class DoubtMonitor {
  var watch: DoubtWatch

  init(_ watch: DoubtWatch) { self.watch = watch }

  /// Adds the doubts to a fix. Returns whether they have changed.
  func judge(_ fix: inout Location, at now: Double) -> Bool {
    let hasChanged = watch.update(fix, at: now)
    if !watch.doubts.isEmpty { fix.doubts = watch.doubts }
    return hasChanged
  }
}
