import Rx
import RxBinding
import RxTerminal
import RxTestSupport
import TerminalKit
import Testing

@MainActor
private final class Controller {
  let button = Button(title: "Ask")
  let screen: Screen
  var colour = "red"
  private(set) var answers: [AlertTests.Action] = []

  init() {
    screen = Screen(root: button)
  }

  /// The fifth tutorial, lines 126 to 142: an alert as a sequence. It is shown for each subscription, sends the answer,
  /// completes, and goes away with the subscription.
  func ask(_ title: String, about subject: String) -> Observable<AlertTests.Action> {
    Observable<AlertTests.Action>.createOnMain { [weak self] observer in
      let alert = Alert(title: title, message: subject)
      let okAction = AlertAction(title: "OK", style: .default) {
        observer.onNext(.ok)
        observer.onCompleted()
      }
      let cancelAction = AlertAction(title: "Cancel", style: .cancel) {
        observer.onNext(.cancel)
        observer.onCompleted()
      }
      alert.addAction(okAction)
      alert.addAction(cancelAction)
      self?.screen.present(alert)
      return Disposables.createOnMain {
        alert.dismiss()
      }
    }
  }

  /// Lines 155 to 167.
  func bindAlert() -> any Disposable {
    button.rx.tap
      .flatMap { [unowned self] in
        self.ask("Really?", about: self.colour)
      }
      .subscribe(onNext: { [weak self] answer in
        switch answer {
        case .ok: self?.answers.append(.ok)
        default: self?.answers.append(answer)
        }
      })
  }

  /// Lines 173 to 178: with `map` it is a sequence of sequences.
  func alerts(whenMade: @escaping @MainActor () -> Void) -> any Disposable {
    let alerts = button.rx.tap
      .map { [unowned self] in
        self.ask("Really?", about: self.colour)
      }
    return alerts.subscribe(onNext: { (_: Observable<AlertTests.Action>) in whenMade() })
  }
}

/// An alert as `Observable.create`, reached through `flatMap`.
@MainActor @Suite(.inTurn) struct AlertTests {
  /// The fifth tutorial, lines 121 to 124.
  enum Action {
    case ok, cancel
  }

  private let controller = Controller()
  private var screen: Screen { controller.screen }

  @Test func anAnswerComesThroughAndDismissesTheAlert() {
    _ = controller.bindAlert()
    controller.button.tap()
    #expect(screen.alerts.map(\.message) == ["red"])
    screen.press(.enter)
    #expect(controller.answers == [.ok])
    #expect(screen.alerts.isEmpty)
  }

  @Test func eachTapAsksAnew() {
    _ = controller.bindAlert()
    controller.button.tap()
    screen.press(.escape)
    controller.colour = "blue"
    controller.button.tap()
    #expect(screen.alerts.map(\.message) == ["blue"])
    screen.press(.enter)
    #expect(controller.answers == [.cancel, .ok])
  }

  @Test func disposingDismissesAnAlertThatIsShown() {
    let binding = controller.bindAlert()
    controller.button.tap()
    #expect(screen.alerts.count == 1)
    binding.dispose()
    #expect(screen.alerts.isEmpty)
    #expect(controller.answers.isEmpty)
  }

  @Test func withMapThereIsASequenceOfSequences() {
    let made = Recorder<Int>()
    _ = controller.alerts { made.record(1) }
    controller.button.tap()
    #expect(made.values.count == 1)
    #expect(screen.alerts.isEmpty)
  }
}
