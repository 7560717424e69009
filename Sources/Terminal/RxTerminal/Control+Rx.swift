public import Rx
public import RxBinding
public import TerminalKit

/// What can be bound to any property of a view has its name: `label.rx.text`, `label.rx.style`, `progressBar.rx.value`,
/// `button.rx.isEnabled`, `view.rx.isHidden`.
extension View: ReactiveCompatible {}

extension AlertAction: ReactiveCompatible {}

@MainActor
extension Reactive where Base: Control {
  /// What the user does with the control.
  public func controlEvent(_ event: Control.Event) -> ControlEvent<Void> {
    ControlEvent(of: base) { control, send in
      control.addAction(for: event) { send(()) }
    } remove: { control, token in
      control.removeAction(token)
    }
  }

  /// A value of the control that the user changes: what `getter` reads at first and after each change, and `setter` sets.
  public func controlProperty<Value: Sendable>(
    getter: @escaping @MainActor (Base) -> Value, setter: @escaping @MainActor (Base, Value) -> Void
  ) -> ControlProperty<Value> {
    ControlProperty(of: base, get: getter, set: setter) { control, changed in
      control.addAction(for: .editingChanged) { changed() }
    } remove: { control, token in
      control.removeAction(token)
    }
  }
}

@MainActor
extension Reactive where Base: TextField {
  /// What is in the field.
  public var text: ControlProperty<String?> {
    controlProperty {
      $0.text
    } setter: {
      $0.text = $1
    }
  }
}

@MainActor
extension Reactive where Base: Button {
  /// The user has pressed the button.
  public var tap: ControlEvent<Void> { controlEvent(.primaryActionTriggered) }
}

extension Screen: ReactiveCompatible {}

@MainActor
extension Reactive where Base: Screen {
  /// The user has pressed a key that no view had a use for.
  public func keyCommand(_ key: Key) -> ControlEvent<Void> {
    ControlEvent(of: base) { screen, send in
      screen.addKeyCommand(key) { send(()) }
    } remove: { screen, token in
      screen.removeKeyCommand(token)
    }
  }
}
