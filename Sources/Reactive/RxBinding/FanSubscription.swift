import Rx

extension Observable {
  /// Sends every event to each of `observers` in turn; without a detour to the only one.
  func subscribe<Observer: ObserverType>(all observers: [Observer]) -> any Disposable
  where Observer.Element == Element {
    if observers.count == 1 { return subscribe(observers[0]) }
    return subscribe { event in
      for observer in observers { observer.on(event) }
    }
  }
}
