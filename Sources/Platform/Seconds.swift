import Glibc

/// Seconds on the clock that no one sets (`CLOCK_MONOTONIC`); its zero means nothing.
public func monotonicSeconds() -> Double {
  var now = timespec()
  clock_gettime(CLOCK_MONOTONIC, &now)
  return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
}

/// A time for a person, such as "0.25 s" or "15 s".
public func secondsText(_ seconds: Double) -> String {
  let rounded = (seconds * 100).rounded() / 100
  return (Int(exactly: rounded).map(String.init) ?? String(rounded)) + " s"
}
