// The samples of "A Binder, a ControlProperty and a ControlEvent of your own", word for word.

import Rx
import RxBinding

@MainActor
final class Dial: ReactiveCompatible {
  /// Degrees, 0 is up.
  var angle = 0.0
  var isEnabled = true

  private var lastToken = 0
  private var listeners: [Int: () -> Void] = [:]

  func addListener(_ listener: @escaping () -> Void) -> Int {
    lastToken += 1
    listeners[lastToken] = listener
    return lastToken
  }

  func removeListener(_ token: Int) {
    listeners[token] = nil
  }

  var hasListeners: Bool {
    !listeners.isEmpty
  }

  /// What the user's hand does.
  func turn(to angle: Double) {
    self.angle = angle
    for listener in listeners.values { listener() }
  }
}

extension Reactive where Base == Dial {
  /// Turns the dial to an angle, whole turns left out.
  @MainActor
  var heading: Binder<Double> {
    Binder(base) { dial, angle in
      dial.angle = angle.truncatingRemainder(dividingBy: 360)
    }
  }
}

extension Reactive where Base == Dial {
  /// The dial was turned by the user, to this angle.
  @MainActor
  var turned: ControlEvent<Double> {
    ControlEvent(of: base) { dial, send in
      dial.addListener { [weak dial] in
        if let dial { send(dial.angle) }
      }
    } remove: { dial, token in
      dial.removeListener(token)
    }
  }
}

extension Reactive where Base == Dial {
  /// The angle of the dial.
  @MainActor
  var angle: ControlProperty<Double> {
    ControlProperty(of: base) { dial in
      dial.angle
    } set: { dial, angle in
      dial.angle = angle.truncatingRemainder(dividingBy: 360)
    } add: { dial, changed in
      dial.addListener { changed() }
    } remove: { dial, token in
      dial.removeListener(token)
    }
  }
}
