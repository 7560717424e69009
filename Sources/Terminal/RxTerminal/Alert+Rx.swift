public import Rx
public import TerminalKit

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
