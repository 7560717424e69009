import Foundation
import Rx
import XCTest

/// A test on the main thread that must leave as many live resources behind as it found.
///
/// These are XCTest's, which run one after the other: a count of live objects means nothing while others run.
open class RxTestCase: XCTestCase {
  private var resourcesBefore: Int32 = 0

  open override func setUp() {
    // What the kernel makes once for all is made by now.
    _ = (MainScheduler.instance, ConcurrentMainScheduler.instance, CurrentThreadScheduler.instance)
    resourcesBefore = Self.liveResources
  }

  open override func tearDown() {
    XCTAssertTrue(
      eventually { Self.liveResources == resourcesBefore },
      "\(Self.liveResources - resourcesBefore) resources were leaked")
  }

  /// Runs `body` at once, as the main actor's. XCTest finds no test methods on Linux that say `@MainActor` themselves.
  public func onMain(_ body: @MainActor () throws -> Void) rethrows {
    try MainActor.assumeIsolated(body)
  }

  private static var liveResources: Int32 {
    #if TRACE_RESOURCES
      Resources.total
    #else
      0
    #endif
  }

  /// Lets the main queue run until `condition` holds; gives up after a minute.
  public func eventually(_ condition: () -> Bool) -> Bool {
    Self.eventually(condition)
  }

  /// The same for a closure that may not hold the test case.
  public static func eventually(_ condition: () -> Bool) -> Bool {
    let deadline = Date(timeIntervalSinceNow: 60)
    while !condition() {
      if Date() > deadline { return false }
      RunLoop.main.run(until: Date(timeIntervalSinceNow: 0.002))
    }
    return true
  }
}

/// An error of the tests.
public enum TestError: Error, Equatable {
  case first
  case second
}
