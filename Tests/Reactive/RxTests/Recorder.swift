import Foundation
import XCTest

@testable import Rx

/// What a subscription received, as lines that are easy to compare.
final class Recorder: Sendable {
  private let lines = Locked<[String]>([])

  var events: [String] {
    lines.withLock { $0 }
  }

  func add(_ line: String) {
    lines.withLock { $0.append(line) }
  }

  func removeAll() {
    lines.withLock { $0 = [] }
  }

  /// Subscribes; `next(…)` is recorded as the element alone.
  func subscribe<Element: Sendable>(to source: Observable<Element>, as name: String = "") -> any Disposable {
    source.subscribe(
      onNext: { self.add("\(name)\($0)") },
      onError: { self.add("\(name)error(\($0))") },
      onCompleted: { self.add("\(name)completed") },
      onDisposed: { self.add("\(name)disposed") })
  }
}

/// A test after which everything that the kernel counts is gone again.
class RxTestCase: XCTestCase {
  private let before = Locked<Int32>(0)

  override func setUp() {
    super.setUp()
    before.withLock { $0 = Resources.total }
  }

  override func tearDown() {
    let before = before.withLock { $0 }
    let deadline = ContinuousClock.now + .seconds(20)
    // A queue or a thread lets go of its last block some time after it has run.
    while Resources.total != before, ContinuousClock.now < deadline {
      // The main queue gets its turn meanwhile.
      RunLoop.current.run(until: Date(timeIntervalSinceNow: 0.001))
    }
    XCTAssertEqual(Resources.total, before, "resources leaked")
    super.tearDown()
  }
}

enum TestError: Error {
  case first
  case second
}
