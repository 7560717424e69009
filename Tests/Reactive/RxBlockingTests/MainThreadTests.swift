import Dispatch
import Foundation
import Rx
import RxBlocking
import RxTestSupport
import TestSupport
import Testing

/// Tests/Programs/MainThread.swift has what a test cannot do, because no test runs on the main thread.
@Suite(.leavesNoResources) struct MainThreadTests {
  /// A block of the main queue keeps the run loop from serving that queue.
  @Test func inABlockOfTheMainQueueItFails() async {
    let errors = Recorder<String>()
    DispatchQueue.main.async {
      let needsMain = Observable.just(1).observe(on: MainScheduler.asyncInstance)
      do {
        errors.record("\(try needsMain.toBlocking().toArray())")
      } catch {
        errors.record("\(error)")
      }
    }
    #expect(await eventually { !errors.values.isEmpty })
    #expect(errors.values == ["\(BlockingError.mainQueueIsBlocked)"])
  }
}
