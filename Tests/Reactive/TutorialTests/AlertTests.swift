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
  private(set) var alerts: [Alert] = []

  /// An alert as a sequence: it is shown for each subscription, sends the answer, completes, and goes away with the
  /// subscription.
  func ask(_ title: String) -> Observable<AlertTests.Action> {
    .create { [weak self] observer in
      MainActor.assumeIsolated {
        let alert = Alert(title: title) { action in
          observer.onNext(action)
          observer.onCompleted()
        }
        self?.alerts.append(alert)
        return Disposables.create {
          MainActor.assumeIsolated { alert.dismiss() }
        }
      }
    }
  }
}

/// An alert as `Observable.create`, reached through `flatMap`.
@MainActor
@Suite struct AlertTests {
  enum Action: Sendable {
    case ok, cancel
  }

  private let screen = Screen()
  private let button = Button()
  private let log = Log<Action>()

  private func bindAlert() -> any Disposable {
    button.rx.tap
      .flatMap { [screen] in
        MainActor.assumeIsolated { screen.ask("Really?") }
      }
      .subscribe(onNext: { [log] in log.add($0) })
  }

  @Test func anAnswerComesThroughAndDismissesTheAlert() {
    let binding = bindAlert()
    button.tap()
    #expect(screen.alerts.map(\.isShown) == [true])
    screen.alerts[0].tap(.ok)
    #expect(log.entries == [.ok])
    #expect(screen.alerts.map(\.isShown) == [false])
    binding.dispose()
  }

  @Test func eachTapAsksAnew() {
    let binding = bindAlert()
    button.tap()
    screen.alerts[0].tap(.cancel)
    button.tap()
    screen.alerts[1].tap(.ok)
    #expect(log.entries == [.cancel, .ok])
    binding.dispose()
  }

  @Test func disposingDismissesAnAlertThatIsShown() {
    let binding = bindAlert()
    button.tap()
    #expect(screen.alerts.map(\.isShown) == [true])
    binding.dispose()
    #expect(screen.alerts.map(\.isShown) == [false])
    screen.alerts[0].tap(.ok)
    #expect(log.entries.isEmpty)
  }

  @Test func withMapThereIsASequenceOfSequences() {
    let shown = Log<Int>()
    let binding = button.rx.tap
      .map { [screen] in MainActor.assumeIsolated { screen.ask("Really?") } }
      .subscribe(onNext: { (_: Observable<Action>) in shown.add(1) })
    button.tap()
    #expect(shown.entries.count == 1)
    #expect(screen.alerts.isEmpty)
    binding.dispose()
  }
}
