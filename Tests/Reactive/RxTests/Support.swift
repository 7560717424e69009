import Foundation
import Synchronization
import XCTest

@testable import Rx

/// Waits until `condition` holds, letting the main queue run; fails after half a minute.
@MainActor
func until(_ condition: () -> Bool, file: StaticString = #filePath, line: UInt = #line) async {
  let deadline = ContinuousClock.now + .seconds(30)
  while !condition() {
    if ContinuousClock.now > deadline {
      XCTFail("timed out", file: file, line: line)
      return
    }
    try? await Task.sleep(for: .milliseconds(1))
  }
}
