import Foundation
import Rx
import TestSupport
import Testing

/// Fails a test after which more resources of the kernel are alive than before it.
///
/// `Resources.total` counts the objects of all tests in the process, so this is checked only while ``runsAlone``.
public struct LeavesNoResources: TestTrait, SuiteTrait, TestScoping {
  /// Whether this process runs one test at a time, as `ResourceTests` asks it to.
  public static let runsAlone = ProcessInfo.processInfo.environment["RXLOCATIOND_TESTS_ALONE"] == "1"

  /// Applies to each test of a suite, not to the suite as a whole.
  public var isRecursive: Bool { true }

  /// Runs the test, and counts before and after it.
  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    #if TRACE_RESOURCES
      guard Self.runsAlone else { return try await function() }
      // The kernel makes these once and keeps them.
      _ = (MainScheduler.instance, ConcurrentMainScheduler.instance, CurrentThreadScheduler.instance)
      let before = Resources.total
      try await function()
      #expect(await eventually { Resources.total == before }, "\(Resources.total - before) resources were leaked")
    #else
      try await function()
    #endif
  }
}

extension Trait where Self == LeavesNoResources {
  /// For tests that leave as many live resources behind as they found.
  public static var leavesNoResources: Self { LeavesNoResources() }
}

/// An error of the tests.
public enum TestError: Error, Equatable {
  case first
  case second
}
