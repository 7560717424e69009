import Glibc

/// Seconds of the host's monotonic clock.
func monotonicSeconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// A time for a person, such as "0.25 s" or "15 s".
func secondsText(_ seconds: Double) -> String {
  let rounded = (seconds * 100).rounded() / 100
  return (Int(exactly: rounded).map(String.init) ?? String(rounded)) + " s"
}
