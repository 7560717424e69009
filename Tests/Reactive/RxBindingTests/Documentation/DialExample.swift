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
  private let ended = PublishRelay<Void>()

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

  /// Sends when the dial goes away.
  var deallocated: Observable<Void> {
    ended.asObservable()
  }

  isolated deinit {
    ended.accept(())
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
    let turns = Observable<Double>.create { [weak dial = base] observer in
      MainActor.assumeIsolated {
        guard let dial else {
          observer.onCompleted()
          return Disposables.create()
        }
        let token = dial.addListener { [weak dial] in
          if let dial { observer.onNext(dial.angle) }
        }
        return Disposables.create { [weak dial] in
          Task { @MainActor in dial?.removeListener(token) }
        }
      }
    }
    return ControlEvent(events: turns.take(until: base.deallocated))
  }
}

extension Reactive where Base == Dial {
  /// The angle of the dial.
  @MainActor
  var angle: ControlProperty<Double> {
    let values = Observable<Double>.deferred { [weak dial = base, turned] in
      MainActor.assumeIsolated {
        guard let dial else { return .empty() }
        return turned.startWith(dial.angle)
      }
    }
    return ControlProperty(values: values.take(until: base.deallocated), valueSink: heading)
  }
}
