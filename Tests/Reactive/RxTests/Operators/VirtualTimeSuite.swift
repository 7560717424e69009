import Rx
import RxTest
import RxTestSupport

/// A suite whose tests run operators in virtual time; subscriptions of `events` go from 200 to 1000.
protocol VirtualTimeSuite {
  var scheduler: TestScheduler { get }
}

extension VirtualTimeSuite {
  /// A sequence that sends `events` at their times on the clock.
  func hot<Element>(_ events: Recorded<Event<Element>>...) -> TestableObservable<Element> {
    scheduler.createHotObservable(events)
  }

  /// A sequence that sends each subscriber `events`, at their times from the subscription.
  func cold<Element>(_ events: Recorded<Event<Element>>...) -> TestableObservable<Element> {
    scheduler.createColdObservable(events)
  }

  /// What a subscription to the sequence that `create` makes receives between 200 and `disposed`.
  func events<Element>(
    disposed: TestTime = 1000, _ create: @escaping () -> Observable<Element>
  ) -> [Recorded<Event<Element>>] {
    scheduler.start(disposed: disposed, create: create).events
  }
}

/// The events that `source` sends while it is being subscribed to.
func immediateEvents<Element>(_ source: Observable<Element>) -> [Event<Element>] {
  let log = Recorder<Event<Element>>()
  source.subscribe { log.record($0) }.dispose()
  return log.values
}

/// A sequence that sends `elements` and completes while it is being subscribed to.
func immediately<Element: Sendable>(_ elements: Element...) -> Observable<Element> {
  .create { observer in
    for element in elements { observer.onNext(element) }
    observer.onCompleted()
    return Disposables.create()
  }
}
