import Rx
import RxBinding

/// What a user can touch: it tells its listeners, and when it goes away.
@MainActor
class Control: ReactiveCompatible {
  /// What a control tells.
  enum Event {
    case tap, editing
  }

  private var listeners: [Int: (event: Event, action: () -> Void)] = [:]
  private var lastToken = 0
  fileprivate let ended = PublishRelay<Void>()

  isolated deinit {
    ended.accept(())
  }

  func addListener(for event: Event, _ action: @escaping () -> Void) -> Int {
    lastToken += 1
    listeners[lastToken] = (event, action)
    return lastToken
  }

  func removeListener(_ token: Int) {
    listeners[token] = nil
  }

  var hasListeners: Bool { !listeners.isEmpty }

  /// The user's hand.
  func send(_ event: Event) {
    for (_, listener) in listeners.sorted(by: { $0.key < $1.key }) where listener.event == event {
      listener.action()
    }
  }
}

@MainActor
extension Reactive where Base: Control {
  /// Sends when the control goes away.
  var deallocated: Observable<Void> { base.ended.asObservable() }

  /// An event of the control.
  func controlEvent(_ event: Control.Event) -> ControlEvent<Void> {
    let events = Observable<Void>.create { [weak control = base] observer in
      MainActor.assumeIsolated {
        guard let control else {
          observer.onCompleted()
          return Disposables.create()
        }
        let token = control.addListener(for: event) { observer.onNext(()) }
        return Disposables.create { [weak control] in
          MainActor.assumeIsolated { control?.removeListener(token) }
        }
      }
    }
    return ControlEvent(events: events.take(until: deallocated))
  }

  /// A value of the control: what `getter` reads at first and after each of the user's edits, and `setter` sets.
  func controlProperty<Value: Sendable>(
    getter: @escaping @MainActor (Base) -> Value, setter: @escaping @MainActor (Base, Value) -> Void
  ) -> ControlProperty<Value> where Base: Sendable {
    let edits = controlEvent(.editing)
    let values = Observable<Void>.deferred { edits.startWith(()) }
      .compactMap { [weak control = base] _ in
        MainActor.assumeIsolated { control.map(getter) }
      }
    return ControlProperty(values: values.take(until: deallocated), valueSink: Binder(base, binding: setter))
  }
}
