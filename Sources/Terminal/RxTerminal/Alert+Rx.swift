public import Rx
public import TerminalKit

/// One of the answers that an `Alert` offers, and what it stands for.
public struct AlertChoice<Action: Sendable>: Sendable {
  /// What its button says.
  public var title: String
  /// What it is for; `cancel` is what Escape answers.
  public var style: AlertAction.Style
  /// What the sequence sends for it.
  public var action: Action

  /// Creates an answer.
  public init(_ title: String, style: AlertAction.Style = .default, _ action: Action) {
    (self.title, self.style, self.action) = (title, style, action)
  }
}

extension Alert {
  /// A dialog as a sequence. It is shown for each subscription, on the main actor; it sends the answer and completes. It goes
  /// away with the subscription.
  ///
  ///     let choices = [AlertChoice("Quit", true), AlertChoice("Stay", style: .cancel, false)]
  ///     quitButton.rx.tap
  ///       .flatMapFirst { Alert.present(title: "Quit?", choices: choices, on: screen) }
  ///       .filter { $0 }
  ///
  /// - Parameters:
  ///   - title: What stands in its frame.
  ///   - message: What it says.
  ///   - choices: The answers; Return in a text field gives the first.
  ///   - screen: Where it is shown; held weakly. Without it the sequence completes.
  ///   - configure: Adds text fields and binds them and the actions before it is shown; what it returns ends with the
  ///     dialog.
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
