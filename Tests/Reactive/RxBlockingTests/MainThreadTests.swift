import Dispatch
import Foundation
import Rx
import RxBlocking
import RxTestSupport
import TestSupport
import Testing

/// On the main thread, which serves the main queue. No test runs there, so these are programs of their own.
@Suite(.leavesNoResources, .startsPrograms) struct MainThreadTests {
  private func output(_ program: String) throws -> [Substring] {
    try Compiler.output(
      of: "import Foundation\nimport Rx\nimport RxBlocking\n" + program, input: URL(filePath: "/dev/null")
    ).split(separator: "\n")
  }

  @Test func theMainQueueGoesOn() throws {
    let lines = try output(
      """
      let onMain = Observable<Int>.interval(.milliseconds(1), scheduler: MainScheduler.instance).take(3)
      print(try onMain.toBlocking(timeout: 60).toArray())
      let backAndForth = Observable.of(1, 2).observe(on: ConcurrentDispatchQueueScheduler(qos: .default))
        .observe(on: MainScheduler.instance)
      print(try backAndForth.toBlocking(timeout: 60).toArray())
      let isOnMain = Single.create { await MainActor.run { Thread.isMainThread } }
      print(try isOnMain.toBlocking(timeout: 60).first() as Any)
      """)
    #expect(lines == ["[0, 1, 2]", "[1, 2]", "Optional(true)"])
  }

  @Test func aTimeoutOnTheMainThread() throws {
    let lines = try output(
      """
      do {
        print(try Observable<Int>.never().toBlocking(timeout: 0.02).first() as Any)
      } catch RxError.timeout {
        print("timeout")
      }
      """)
    #expect(lines == ["timeout"])
  }

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
