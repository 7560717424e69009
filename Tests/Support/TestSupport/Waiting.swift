/// Waits until `condition` holds, and says whether it did before `seconds` were over. It asks every few milliseconds and
/// leaves its thread and its actor to others meanwhile. The one way in which a test waits.
public func eventually(
  within seconds: Double = 30, isolation: isolated (any Actor)? = #isolation, _ condition: () async throws -> Bool
) async rethrows -> Bool {
  let deadline = ContinuousClock.now + .seconds(seconds)
  while try await !condition() {
    if ContinuousClock.now > deadline { return false }
    try? await Task.sleep(for: .milliseconds(5))
  }
  return true
}
