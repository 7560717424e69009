import Foundation
import Rx
import RxFoundation
import RxTestSupport
import Testing

@Suite(.leavesNoResources, .inTurn) @MainActor struct NotificationCenterTests {
  private let testName = Notification.Name("test")
  private let center = NotificationCenter()

  /// The names of the notifications that a subscription receives while `post` runs.
  private func received(_ name: Notification.Name?, object: NSObject? = nil, while post: () -> Void) -> [String] {
    let received = Recorder<String>()
    let subscription = center.rx.notification(name, object: object)
      .subscribe(onNext: { received.record($0.name.rawValue) })
    post()
    subscription.dispose()
    center.post(name: testName, object: object)
    return received.values
  }

  @Test func notificationsOfANameReachSubscribersUntilDisposal() {
    center.post(name: testName, object: nil)
    let names = received(testName) {
      center.post(name: testName, object: nil)
      center.post(name: testName, object: NSObject())
      center.post(name: Notification.Name("other"), object: nil)
    }
    #expect(names == ["test", "test"])
  }

  @Test func noNameMeansAnyName() {
    let names = received(nil) {
      for name in ["a", "b"] { center.post(name: Notification.Name(name), object: nil) }
    }
    #expect(names == ["a", "b"])
  }

  @Test func notificationsOfOneObject() {
    let sender = NSObject()
    let names = received(testName, object: sender) {
      for object in [sender, nil, NSObject()] { center.post(name: testName, object: object) }
    }
    #expect(names == ["test"])
  }

  @Test func anObjectThatIsGonePostsNothingMore() {
    let received = Recorder<Bool>()
    let notifications = center.rx.notification(testName, object: NSObject())
    let subscription = notifications.subscribe(onNext: { _ in received.record(true) })
    for object in [nil, NSObject()] { center.post(name: testName, object: object) }
    subscription.dispose()
    #expect(received.values == [])
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
