import TestSupport
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

extension LoopbackSocket {
  /// Waits for a client without keeping the main actor busy, which the source needs.
  @MainActor func nextClient() async throws -> LoopbackSocket {
    try await wait(for: "client") { isReadable(within: 0) }
    return try accept()
  }

  /// What arrives next, waited for without keeping the main actor busy; empty at the end of the stream.
  @MainActor func next() async throws -> [UInt8] {
    try await wait(for: "bytes") { isReadable(within: 0) }
    return receive() ?? []
  }
}
