import Dispatch
import Foundation
import Rx
import RxBlocking
import RxTestSupport
import XCTest

/// XCTest's tests run on the main thread, which serves the main queue.
final class MainThreadTests: RxTestCase {
  func testTheMainQueueGoesOn() throws {
    let onMain = Observable<Int>.interval(.milliseconds(1), scheduler: MainScheduler.instance).take(3)
    XCTAssertEqual(try onMain.toBlocking(timeout: 60).toArray(), [0, 1, 2])
    let backAndForth = Observable.of(1, 2).observe(on: ConcurrentDispatchQueueScheduler(qos: .default))
      .observe(on: MainScheduler.instance)
    XCTAssertEqual(try backAndForth.toBlocking(timeout: 60).toArray(), [1, 2])
    let isOnMain = Single.create { await MainActor.run { Thread.isMainThread } }
    XCTAssertEqual(try isOnMain.toBlocking(timeout: 60).first(), true)
  }

  func testATimeoutOnTheMainThread() {
    XCTAssertThrowsError(try Observable<Int>.never().toBlocking(timeout: 0.02).first()) { error in
      guard case .timeout? = error as? RxError else { return XCTFail("\(error)") }
    }
  }

  /// A block of the main queue keeps the run loop from serving that queue.
  func testInABlockOfTheMainQueueItFails() {
    let errors = Recorder<String>()
    DispatchQueue.main.async {
      let needsMain = Observable.just(1).observe(on: MainScheduler.asyncInstance)
      do {
        errors.record("\(try needsMain.toBlocking().toArray())")
      } catch {
        errors.record("\(error)")
      }
    }
    XCTAssertTrue(eventually { !errors.values.isEmpty })
    XCTAssertEqual(errors.values, ["\(BlockingError.mainQueueIsBlocked)"])
  }
}
