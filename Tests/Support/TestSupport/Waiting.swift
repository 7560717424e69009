import Glibc

/// Waits until `condition` holds, and says whether it did before `seconds` were over. It asks every few milliseconds,
/// less often the longer it takes, and leaves its thread and its actor to others meanwhile. A test waits in this way only.
///
/// The deadline matters only to a test that fails: it is far longer than anything takes on a busy machine. Do not use
/// this to show that something does not happen.
///
/// It gives up only after it has asked a few hundred times: when others have held its actor or the processors until the
/// time was over, what it waits for has had no chance either.
package func eventually(
  within seconds: Double = 60, isolation: isolated (any Actor)? = #isolation, _ condition: () async throws -> Bool
) async rethrows -> Bool {
  let deadline = ContinuousClock.now + .seconds(seconds)
  var attempts = 0
  while try await !condition() {
    attempts += 1
    if attempts > 300, ContinuousClock.now > deadline { return false }
    try? await Task.sleep(for: .milliseconds(min(4 + attempts, 20)))
  }
  return true
}

/// The same for code that must not give up its thread or its actor, which it blocks.
package func eventuallyBlocking(within seconds: Double = 60, _ condition: () throws -> Bool) rethrows -> Bool {
  let deadline = ContinuousClock.now + .seconds(seconds)
  while try !condition() {
    if ContinuousClock.now > deadline { return false }
    usleep(2_000)
  }
  return true
}

/// Whether work that may hang ends; if it does not, it is left behind.
package func ends(_ work: @escaping @Sendable () async -> Void) async -> Bool {
  let ends = Recorder<Void>()
  Task {
    await work()
    ends.record(())
  }
  return await eventually { !ends.values.isEmpty }
}
