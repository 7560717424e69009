import Rx
import RxBinding

/// What a user can touch: it calls its listeners.
@MainActor
class Control: ReactiveCompatible {
  /// What its listeners are called for.
  enum Event {
    case tap, editing
  }

  private var listeners: [Int: (event: Event, action: () -> Void)] = [:]
  private var lastToken = 0

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
  /// An event of the control.
  func controlEvent(_ event: Control.Event) -> ControlEvent<Void> {
    ControlEvent(of: base) { control, send in
      control.addListener(for: event) { send(()) }
    } remove: { control, token in
      control.removeListener(token)
    }
  }

  /// A value of the control: what `getter` reads at first and after each of the user's edits, and `setter` sets.
  func controlProperty<Value: Sendable>(
    getter: @escaping @MainActor (Base) -> Value, setter: @escaping @MainActor (Base, Value) -> Void
  ) -> ControlProperty<Value> {
    ControlProperty(of: base, get: getter, set: setter) { control, changed in
      control.addListener(for: .editing) { changed() }
    } remove: { control, token in
      control.removeListener(token)
    }
  }
}
