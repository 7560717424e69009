import Glibc

/// Seconds on the clock that no one sets (`CLOCK_MONOTONIC`); its zero means nothing.
public func monotonicSeconds() -> Double {
  var now = timespec()
  clock_gettime(CLOCK_MONOTONIC, &now)
  return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
}
