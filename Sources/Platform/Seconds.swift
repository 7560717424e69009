import Glibc

/// Seconds of `CLOCK_MONOTONIC`, which cannot be set. Only differences are meaningful.
package func monotonicSeconds() -> Double {
  var now = timespec()
  clock_gettime(CLOCK_MONOTONIC, &now)
  return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
}

/// A duration in seconds for messages, such as "0.25 s" or "15 s".
package func secondsText(_ seconds: Double) -> String {
  let rounded = (seconds * 100).rounded() / 100
  return (Int(exactly: rounded).map(String.init) ?? String(rounded)) + " s"
}

/// A duration for messages, such as "45 s", "11 min 59 s", "2 h 05 min" or "3 d 04 h".
package func durationText(_ seconds: Double) -> String {
  guard seconds.magnitude < 1e12 else { return "?" }
  let total = Int(max(0, seconds).rounded())
  if total < 60 { return "\(total) s" }
  if total < 3600 { return "\(total / 60) min \(twoDigits(total % 60)) s" }
  let minutes = Int((Double(total) / 60).rounded())
  if minutes < 48 * 60 { return "\(minutes / 60) h \(twoDigits(minutes % 60)) min" }
  let hours = Int((Double(total) / 3600).rounded())
  return "\(hours / 24) d \(twoDigits(hours % 24)) h"
}
