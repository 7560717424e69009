import Rx
import Synchronization

/// A sequence of recorded events that remembers who subscribed and when (RxTest's `TestableObservable`).
///
/// Made by ``TestScheduler/createHotObservable(_:)`` and ``TestScheduler/createColdObservable(_:)``.
///
/// `@unchecked Sendable`: the subscriptions are behind a mutex, everything else is immutable.
public class TestableObservable<Element: Sendable>: ObservableType, @unchecked Sendable {
  /// The events that the sequence sends.
  public let recordedEvents: [Recorded<Event<Element>>]

  let testScheduler: TestScheduler

  private let log = Mutex<[Subscription]>([])

  init(testScheduler: TestScheduler, recordedEvents: [Recorded<Event<Element>>]) {
    self.testScheduler = testScheduler
    self.recordedEvents = recordedEvents
  }

  /// The subscriptions so far, in order.
  public var subscriptions: [Subscription] {
    log.withLock { $0 }
  }

  /// Subscribes `observer` to the events.
  public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
  where Observer.Element == Element {
    preconditionFailure("a testable observable overrides subscribe")
  }

  /// Records that a subscription begins now; the result records that it ended, when disposed, after calling
  /// `onDispose`.
  final func recordSubscription(_ onDispose: @escaping @Sendable () -> Void) -> any Disposable {
    let start = testScheduler.clock
    let index = log.withLock { log in
      log.append(Subscription(start))
      return log.count - 1
    }
    return Disposables.create { [self] in
      onDispose()
      let end = testScheduler.clock
      log.withLock { $0[index] = Subscription(start, end) }
    }
  }
}
