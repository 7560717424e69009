import Foundation
import Rx
import RxFoundation
import RxTestSupport
import TestSupport
import Testing

@Suite(.leavesNoResources) @MainActor struct NotificationCenterTests {
  private let testName = Notification.Name("test")
  private let center = NotificationCenter()

  @Test func notificationsOfANameReachSubscribersUntilDisposal() {
    let received = Recorder<String>()
    center.post(name: testName, object: nil)

    let subscription = center.rx.notification(testName).subscribe(onNext: { received.record($0.name.rawValue) })
    center.post(name: testName, object: nil)
    center.post(name: testName, object: NSObject())
    center.post(name: Notification.Name("other"), object: nil)
    subscription.dispose()
    center.post(name: testName, object: nil)

    #expect(received.values == ["test", "test"])
  }

  @Test func notificationsOfOneObject() {
    let sender = NSObject()
    let received = Recorder<Bool>()

    let subscription = center.rx.notification(testName, object: sender)
      .subscribe(onNext: { received.record($0.object is NSObject) })
    center.post(name: testName, object: sender)
    center.post(name: testName, object: nil)
    center.post(name: testName, object: NSObject())
    subscription.dispose()

    #expect(received.values == [true])
  }

  @Test func noNameMeansAnyName() {
    let received = Recorder<String>()

    let subscription = center.rx.notification(nil).subscribe(onNext: { received.record($0.name.rawValue) })
    center.post(name: Notification.Name("a"), object: nil)
    center.post(name: Notification.Name("b"), object: nil)
    subscription.dispose()

    #expect(received.values == ["a", "b"])
  }

  @Test func theContentIsTakenOutOnThePostingThread() async {
    let heights = Recorder<Double>()
    let wasOnMain = Recorder<Bool>()

    let subscription = center.rx.notification(testName)
      .map { posted -> Double in
        wasOnMain.recordWhetherOnMain()
        return posted.userInfo?["height"] as? Double ?? 0
      }
      .observe(on: MainScheduler.instance)
      .subscribe(onNext: { heights.record($0) })
    onBackgroundQueue { [center, testName] in center.post(name: testName, object: nil, userInfo: ["height": 216.5]) }

    #expect(await eventually { heights.values == [216.5] })
    #expect(wasOnMain.values == [false])
    subscription.dispose()
  }

  @Test func anObjectThatIsGonePostsNothingMore() {
    let received = Recorder<Bool>()
    let notifications = center.rx.notification(testName, object: NSObject())

    let subscription = notifications.subscribe(onNext: { _ in received.record(true) })
    center.post(name: testName, object: nil)
    center.post(name: testName, object: NSObject())
    subscription.dispose()

    #expect(received.values == [])
  }

  @Test func aDisposedSubscriptionIsForgottenByTheCenter() {
    // This centre outlives the test: what it still holds counts as leaked.
    let received = Recorder<Bool>()
    let subscription = NotificationCenter.default.rx.notification(testName)
      .subscribe(onNext: { _ in received.record(true) })
    NotificationCenter.default.post(name: testName, object: nil)
    subscription.dispose()
    #expect(received.values == [true])
  }

  @Test func everySubscriptionIsAnObserverOfItsOwn() {
    let received = Recorder<Int>()
    let notifications = center.rx.notification(testName)

    let first = notifications.subscribe(onNext: { _ in received.record(1) })
    let second = notifications.subscribe(onNext: { _ in received.record(2) })
    first.dispose()
    center.post(name: testName, object: nil)
    second.dispose()

    #expect(received.values == [2])
  }
}
