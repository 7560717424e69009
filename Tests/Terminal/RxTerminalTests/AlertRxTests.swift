import Rx
import RxBinding
import RxTerminal
import RxTest
import TerminalKit
import TestSupport
import Testing

@MainActor @Suite(.inTurn) struct AlertRxTests {
  private enum Answer: Sendable, Equatable {
    case quit, stay
  }

  private let scheduler = TestScheduler(initialClock: 0)
  private let screen = Screen(root: View())
  private let bag = DisposeBag()

  private func ask() -> Observable<Answer> {
    Alert.present(
      title: "Quit?", choices: [AlertChoice("Quit", .quit), AlertChoice("Stay", style: .cancel, .stay)], on: screen)
  }

  @Test func anAnswerIsSentOnceTheAlertIsGone() {
    let answers = scheduler.createObserver(Answer.self)
    let alert = ask()
    #expect(screen.alerts.isEmpty)
    alert.subscribe(answers).disposed(by: bag)
    #expect(screen.alerts.count == 1)
    scheduler.advanceTo(10)
    screen.press(.escape)
    #expect(answers.events == [.next(10, .stay), .completed(10)])
    #expect(screen.alerts.isEmpty)
    alert.subscribe(answers).disposed(by: bag)
    screen.press(.enter)
    #expect(answers.events.suffix(2) == [.next(10, .quit), .completed(10)])
  }

  @Test func disposingDismisses() {
    let subscription = ask().subscribe()
    #expect(screen.alerts.count == 1)
    subscription.dispose()
    #expect(screen.alerts.isEmpty)
  }

  /// A dialog with a validated field, as the monitor's fence has.
  @Test func itsFieldsAndActionsAreBoundWhileItIsShown() {
    let written = BehaviorRelay<String?>(value: nil)
    let dialog = Alert.present(
      title: "Radius", choices: [AlertChoice("OK", Answer.quit), AlertChoice("Cancel", style: .cancel, .stay)],
      on: screen
    ) { alert in
      alert.addTextField(label: "Radius")
      let text = alert.textFields[0].rx.text.asDriver()
      return Disposables.create(
        text.drive(written),
        text.map { Double($0 ?? "") != nil }.drive(alert.actions[0].rx.isEnabled))
    }
    let answers = scheduler.record(dialog, in: bag)
    screen.press(.character("x"))
    screen.press(.enter)
    #expect(screen.alerts.count == 1)
    screen.press(.backspace)
    screen.press(.character("9"))
    screen.press(.enter)
    #expect(written.value == "9")
    #expect(answers.events == [.next(0, .quit), .completed(0)])
  }

  @Test func withoutAScreenItCompletes() {
    var gone: Screen! = Screen(root: View())
    let alert = Alert.present(title: "Quit?", choices: [AlertChoice("OK", 1)], on: gone)
    gone = nil
    #expect(scheduler.record(alert, in: bag).events == [.completed(0)])
  }
}
