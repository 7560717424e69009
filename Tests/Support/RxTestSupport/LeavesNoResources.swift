import Foundation
import Rx
import Synchronization
import TestSupport
import Testing

/// Fails a test after which more resources of the kernel are alive than before it.
///
/// `Resources.total` counts the objects of all tests in the process, so this is checked only while ``runsAlone``.
package struct LeavesNoResources: TestTrait, SuiteTrait, TestScoping {
  /// Whether this process runs one test at a time, as `ResourceTests` asks it to.
  package static let runsAlone = ProcessInfo.processInfo.environment["RXLOCATIOND_TESTS_ALONE"] == "1"

  private static let leakCount = Atomic(0)
  package var isRecursive: Bool { true }

  package func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    #if TRACE_RESOURCES
      guard Self.runsAlone else { return try await function() }
      // The kernel makes these once and keeps them.
      _ = (MainScheduler.instance, ConcurrentMainScheduler.instance, CurrentThreadScheduler.instance)
      let before = Resources.total
      try await function()
      // A fault of the kernel makes many tests leak, so only the first one waits long.
      let patience = Self.leakCount.load(ordering: .relaxed) == 0 ? 20.0 : 1
      if await eventually(within: patience, { Resources.total == before }) { return }
      Self.leakCount.add(1, ordering: .relaxed)
      Issue.record("\(Resources.total - before) resources were leaked")
    #else
      try await function()
    #endif
  }
}

extension Trait where Self == LeavesNoResources {
  /// For tests that leave as many live resources behind as they found.
  package static var leavesNoResources: Self { LeavesNoResources() }
}

package enum TestError: Error, Equatable {
  case first
  case second
}
