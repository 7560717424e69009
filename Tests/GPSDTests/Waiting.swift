import GPSDTestSupport
import Testing

/// Lets the main actor run until `condition` holds; fails after `seconds`. Returns how long it took.
@MainActor @discardableResult
func wait(
  _ seconds: Double = 30, for what: String, sourceLocation: SourceLocation = #_sourceLocation,
  until condition: () -> Bool
) async throws -> Double {
  let start = monotonicSeconds()
  while !condition() {
    if monotonicSeconds() - start > seconds {
      Issue.record("no \(what) within \(seconds) s", sourceLocation: sourceLocation)
      throw SupportError("no \(what)")
    }
    try await Task.sleep(for: .milliseconds(2))
  }
  return monotonicSeconds() - start
}
