import Rx

/// An observer that records what it receives and when (RxTest's `TestableObserver`).
///
/// Made by ``TestScheduler/createObserver(_:)`` and by the `start` methods; takes part in `subscribe`, `bind(to:)`,
/// `drive` and `emit(to:)` like any observer.
public final class TestableObserver<Element: Sendable>: ObserverType {
  private let scheduler: TestScheduler
  private let recorded = Locked<[Recorded<Event<Element>>]>([])

  init(scheduler: TestScheduler) {
    self.scheduler = scheduler
  }

  /// The events so far, in order.
  public var events: [Recorded<Event<Element>>] {
    recorded.withLock { $0 }
  }

  /// The elements so far, in order.
  public var elements: [Element] {
    events.compactMap(\.value.element)
  }

  /// Records `event` at the scheduler's current time.
  public func on(_ event: Event<Element>) {
    let record = Recorded(time: scheduler.clock, value: event)
    recorded.withLock { $0.append(record) }
  }
}
