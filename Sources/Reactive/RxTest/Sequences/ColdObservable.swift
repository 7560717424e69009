import Rx
import Synchronization

/// Sends every subscriber all events, at their times counted from its subscription.
///
/// `@unchecked Sendable`: adds no state to its superclass.
final class ColdObservable<Element: Sendable>: TestableObservable<Element>, @unchecked Sendable {
  override func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
  where Observer.Element == Element {
    let isDisposed = Flag()
    let subscription = recordSubscription { isDisposed.set() }

    for event in recordedEvents {
      _ = testScheduler.scheduleRelativeVirtual(event.value, dueTime: event.time) { event in
        if !isDisposed.isSet { observer.on(event) }
        return Disposables.create()
      }
    }
    return subscription
  }
}

/// Something that happens once.
private final class Flag: Sendable {
  private let value = Atomic<Bool>(false)

  var isSet: Bool {
    value.load(ordering: .acquiring)
  }

  func set() {
    value.store(true, ordering: .releasing)
  }
}
