import Rx
import RxBinding
import RxTerminal
import RxTest
import TerminalKit
import TestSupport
import Testing

@MainActor @Suite(.inTurn) struct ControlRxTests {
  private let scheduler = TestScheduler(initialClock: 0)
  private let bag = DisposeBag()

  @Test func controlsShowWhatIsBoundToThem() {
    let (label, bar, button, field) = (Label(), ProgressBar(), Button(title: "OK"), TextField())
    scheduler.createHotObservable([.next(10, "home")]).bind(to: field.rx.text).disposed(by: bag)
    scheduler.createHotObservable([.next(10, "3D"), .next(20, "2D")]).bind(to: label.rx.text).disposed(by: bag)
    scheduler.createHotObservable([.next(10, 0.5), .next(20, nil)]).bind(to: bar.rx.value).disposed(by: bag)
    scheduler.createHotObservable([.next(10, false)]).bind(to: button.rx.isEnabled).disposed(by: bag)
    scheduler.createHotObservable([.next(20, Style.bold)]).bind(to: label.rx.style).disposed(by: bag)
    scheduler.advanceTo(15)
    #expect((label.text, bar.value, button.isEnabled, label.style) == ("3D", 0.5, false, .plain))
    #expect(field.text == "home")
    scheduler.advanceTo(25)
    #expect((label.text, bar.value, label.style) == ("2D", nil, .bold))
  }

  @Test func aFieldsTextIsWhatItIsAndWhatTheUserWrites() {
    var field: TextField! = TextField()
    field.text = "GPS"
    let texts = scheduler.record(field.rx.text, in: bag)
    scheduler.scheduleAt(10) { [field] in field?.type("GLO") }
    scheduler.scheduleAt(20) { [field] in field?.text = "set by the program" }
    scheduler.scheduleAt(30) { [field] in field?.insertText("!") }
    scheduler.start()
    scheduler.advanceTo(40)
    field = nil
    #expect(
      texts.events == [.next(0, "GPS"), .next(10, "GLO"), .next(30, "set by the program!")] + texts.events.suffix(1))
  }

  @Test func tapsAreEventsAndEndWithTheButton() {
    var button: Button! = Button(title: "OK")
    let taps = scheduler.record(button.rx.tap.map { 1 }, in: bag)
    scheduler.advanceTo(10)
    button.tap()
    scheduler.advanceTo(20)
    button.isEnabled = false
    button.tap()
    scheduler.advanceTo(30)
    button = nil
    #expect(taps.events == [.next(10, 1), .completed(30)])
  }

  @Test func aDisposedTapLeavesNoAction() {
    let button = Button(title: "OK")
    let subscription = button.rx.tap.subscribe()
    #expect(button.hasActions)
    subscription.dispose()
    #expect(!button.hasActions)
  }

  @Test func keyCommandsAreEvents() {
    var screen: Screen! = Screen(root: View())
    let quits = scheduler.record(screen.rx.keyCommand(.character("q")).map { 1 }, in: bag)
    scheduler.advanceTo(10)
    screen.press(.character("x"))
    screen.press(.character("q"))
    scheduler.advanceTo(20)
    screen = nil
    #expect(quits.events == [.next(10, 1), .completed(20)])
  }

  @Test func editingBeginsAndEndsWithTheKeys() {
    let (field, button) = (TextField(), Button(title: "OK"))
    let screen = Screen(root: StackView(axis: .vertical, [(button, .fitting), (field, .fitting)]))
    let events = scheduler.record(field.rx.editingDidBegin.map { "begin" }, in: bag)
    field.rx.editingDidEnd.map { "end" }.subscribe(events).disposed(by: bag)
    _ = screen.render()
    for time in [10, 20] {
      scheduler.advanceTo(time)
      screen.press(.tab)
    }
    #expect(events.events == [.next(10, "begin"), .next(20, "end")])
  }
}
