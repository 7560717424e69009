import Rx
import Synchronization

/// Sends its events at their times on the scheduler's clock to whoever is subscribed then.
///
/// `@unchecked Sendable`: the observers are behind a mutex.
final class HotObservable<Element: Sendable>: TestableObservable<Element>, @unchecked Sendable {
  private typealias Handler = @Sendable (Event<Element>) -> Void

  private struct Observers {
    var lastKey = 0
    var handlers: [(key: Int, handler: Handler)] = []
  }

  private let observers = Mutex(Observers())

  override init(testScheduler: TestScheduler, recordedEvents: [Recorded<Event<Element>>]) {
    super.init(testScheduler: testScheduler, recordedEvents: recordedEvents)

    for event in recordedEvents {
      // Weak: a scheduler that is never started keeps its actions. Subscriptions hold the sequence.
      _ = testScheduler.scheduleAbsoluteVirtual(event.value, time: event.time) { [weak self] event in
        self?.send(event)
        return Disposables.create()
      }
    }
  }

  override func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
  where Observer.Element == Element {
    let key = observers.withLock { observers in
      observers.lastKey += 1
      observers.handlers.append((observers.lastKey, observer.on))
      return observers.lastKey
    }
    return recordSubscription { [self] in
      observers.withLock { observers in
        observers.handlers.removeAll { $0.key == key }
      }
    }
  }

  private func send(_ event: Event<Element>) {
    for (key, handler) in observers.withLock({ $0.handlers }) {
      let isSubscribed = observers.withLock { $0.handlers.contains { $0.key == key } }
      if isSubscribed { handler(event) }
    }
  }
}
