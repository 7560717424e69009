public import Rx
public import RxBinding
public import TerminalKit

/// Every bindable property of a view has its own name: `label.rx.text`, `label.rx.style`, `progressBar.rx.value`,
/// `button.rx.isEnabled`, `view.rx.isHidden`.
extension View: ReactiveCompatible {}

extension DelegateProxies: ViewDelegateObserver {}

extension View: DelegateProxyHolder {
  /// The view's delegate proxies, which the view holds.
  public var delegateProxies: DelegateProxies {
    if let proxies = delegateObserver as? DelegateProxies { return proxies }
    let proxies = DelegateProxies()
    delegateObserver = proxies
    return proxies
  }
}

extension AlertAction: ReactiveCompatible {}

extension Reactive where Base: Control {
  /// The user's actions on the control.
  public func controlEvent(_ event: Control.Event) -> ControlEvent<Void> {
    ControlEvent(of: base) { control, send in
      control.addAction(for: event) { send(()) }
    } remove: { control, token in
      control.removeAction(token)
    }
  }

  /// A value of the control that the user changes. `getter` reads it at first and after each `event`, and `setter` sets it.
  public func controlProperty<Value: Sendable>(
    editingEvents event: Control.Event = .editingChanged,
    getter: @escaping @MainActor (Base) -> Value, setter: @escaping @MainActor (Base, Value) -> Void
  ) -> ControlProperty<Value> {
    ControlProperty(of: base, get: getter, set: setter) { control, changed in
      control.addAction(for: event) { changed() }
    } remove: { control, token in
      control.removeAction(token)
    }
  }
}

extension Reactive where Base: TextField {
  /// The text of the field.
  public var text: ControlProperty<String?> {
    controlProperty {
      $0.text
    } setter: {
      $0.text = $1
    }
  }

  /// The user begins to edit the field, which has the focus now.
  public var editingDidBegin: ControlEvent<Void> { controlEvent(.editingDidBegin) }

  /// The user has ended editing; another view has the focus.
  public var editingDidEnd: ControlEvent<Void> { controlEvent(.editingDidEnd) }
}

extension Reactive where Base: Button {
  /// The user has pressed the button.
  public var tap: ControlEvent<Void> { controlEvent(.primaryActionTriggered) }
}

extension Screen: ReactiveCompatible {}

extension Reactive where Base: Screen {
  /// The user pressed a key that no view handled.
  public func keyCommand(_ key: Key) -> ControlEvent<Void> {
    ControlEvent(of: base) { screen, send in
      screen.addKeyCommand(key) { send(()) }
    } remove: { screen, token in
      screen.removeKeyCommand(token)
    }
  }
}

/// An answer of an `Alert`, and the value that it stands for.
public struct AlertChoice<Action: Sendable>: Sendable {
  /// The title of its button.
  public var title: String
  /// Its style; Escape gives the answer with the style `cancel`.
  public var style: AlertAction.Style
  /// The value that the sequence sends.
  public var action: Action

  /// Creates an answer.
  public init(_ title: String, style: AlertAction.Style = .default, _ action: Action) {
    (self.title, self.style, self.action) = (title, style, action)
  }
}

extension Alert {
  /// A dialog as a sequence. Each subscription shows it, on the main actor. It sends the answer and completes.
  /// Disposing of the subscription removes the dialog.
  ///
  ///     let choices = [AlertChoice("Quit", true), AlertChoice("Stay", style: .cancel, false)]
  ///     quitButton.rx.tap
  ///       .flatMapFirst { Alert.present(title: "Quit?", choices: choices, on: screen) }
  ///       .filter { $0 }
  ///
  /// - Parameters:
  ///   - title: The title in its frame.
  ///   - message: The text.
  ///   - choices: The answers; Return in a text field gives the first.
  ///   - screen: The screen, which is held weakly. Without it the sequence completes.
  ///   - configure: Adds text fields and binds them and the actions before the dialog is shown; its result is disposed
  ///     of with the dialog.
  public static func present<Action: Sendable>(
    title: String, message: String? = nil, choices: [AlertChoice<Action>], on screen: Screen,
    configure: (@MainActor (Alert) -> any Disposable)? = nil
  ) -> Observable<Action> {
    .createOnMain { [weak screen] observer in
      guard let screen else {
        observer.onCompleted()
        return Disposables.create()
      }
      let alert = Alert(title: title, message: message)
      for choice in choices {
        alert.addAction(
          AlertAction(title: choice.title, style: choice.style) {
            observer.onNext(choice.action)
            observer.onCompleted()
          })
      }
      let bindings = configure?(alert)
      screen.present(alert)
      return Disposables.createOnMain {
        bindings?.dispose()
        alert.dismiss()
      }
    }
  }
}
