import Rx
import RxBinding
import Testing

/// A dialog without a screen.
@MainActor
private final class Alert {
  let title: String
  private(set) var isShown = true
  private let answer: (AlertTests.Action) -> Void

  init(title: String, answer: @escaping (AlertTests.Action) -> Void) {
    self.title = title
    self.answer = answer
  }

  /// The user taps one of its buttons.
  func tap(_ action: AlertTests.Action) { answer(action) }
  func dismiss() { isShown = false }
}

@MainActor
private final class Screen {
  let button = Button()
  var colour = "red"
  private(set) var alerts: [Alert] = []
  private(set) var answers: [AlertTests.Action] = []

  /// The fifth tutorial, lines 126 to 142: an alert as a sequence. It is shown for each subscription, sends the answer,
  /// completes, and goes away with the subscription.
  func ask(_ title: String, about subject: String) -> Observable<AlertTests.Action> {
    Observable<AlertTests.Action>.createOnMain { [weak self] observer in
      let alert = Alert(title: "\(title) \(subject)") { action in
        observer.onNext(action)
        observer.onCompleted()
      }
      self?.alerts.append(alert)
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
@MainActor
@Suite struct AlertTests {
  /// The fifth tutorial, lines 121 to 124.
  enum Action: Sendable {
    case ok, cancel
  }

  private let screen = Screen()

  @Test func anAnswerComesThroughAndDismissesTheAlert() {
    let binding = screen.bindAlert()
    screen.button.tap()
    #expect(screen.alerts.map(\.title) == ["Really? red"])
    #expect(screen.alerts.map(\.isShown) == [true])
    screen.alerts[0].tap(.ok)
    #expect(screen.answers == [.ok])
    #expect(screen.alerts.map(\.isShown) == [false])
    binding.dispose()
  }

  @Test func eachTapAsksAnew() {
    let binding = screen.bindAlert()
    screen.button.tap()
    screen.alerts[0].tap(.cancel)
    screen.colour = "blue"
    screen.button.tap()
    screen.alerts[1].tap(.ok)
    #expect(screen.alerts.map(\.title) == ["Really? red", "Really? blue"])
    #expect(screen.answers == [.cancel, .ok])
    binding.dispose()
  }

  @Test func disposingDismissesAnAlertThatIsShown() {
    let binding = screen.bindAlert()
    screen.button.tap()
    #expect(screen.alerts.map(\.isShown) == [true])
    binding.dispose()
    #expect(screen.alerts.map(\.isShown) == [false])
    screen.alerts[0].tap(.ok)
    #expect(screen.answers.isEmpty)
  }

  @Test func withMapThereIsASequenceOfSequences() {
    let made = Log<Int>()
    let binding = screen.alerts { made.add(1) }
    screen.button.tap()
    #expect(made.entries.count == 1)
    #expect(screen.alerts.isEmpty)
    binding.dispose()
  }
}
