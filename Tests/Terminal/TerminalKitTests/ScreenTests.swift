import TestSupport
import Testing

@testable import TerminalKit

@MainActor @Suite(.inTurn) struct ScreenTests {
  private let first = Button(title: "one")
  private let second = Button(title: "two")
  private let third = Button(title: "three")
  private let screen: Screen

  init() {
    screen = Screen(
      root: StackView(axis: .vertical, [(first, .fitting), (second, .fitting), (third, .fitting)]),
      size: Size(width: 30, height: 9))
    _ = screen.render()
  }

  @discardableResult
  private func present(_ title: String, _ message: String? = nil) -> Alert {
    let alert = Alert(title: title, message: message)
    alert.addAction(AlertAction(title: "OK"))
    screen.present(alert)
    return alert
  }

  @Test func tabGoesAroundAndPassesOverWhatCannotBeUsed() {
    #expect(screen.focused === first)
    second.isEnabled = false
    screen.press(.tab)
    #expect(screen.focused === third)
    screen.press(.tab)
    #expect(screen.focused === first)
    screen.press(.backTab)
    #expect(screen.focused === third)
    third.isHidden = true
    _ = screen.render()
    #expect(screen.focused === first)
  }

  @Test func changesOfOneMomentAreDrawnOnce() {
    var calls = 0
    screen.onNeedsDisplay = { calls += 1 }
    first.title = "1"
    second.title = "2"
    screen.size = Size(width: 20, height: 5)
    #expect(calls == 1)
    _ = screen.render()
    #expect(calls == 1)
    first.title = "1"
    #expect(calls == 1)
    first.title = "11"
    #expect(calls == 2)
  }

  @Test func aKeyThatNobodyTakesIsACommand() {
    var quits = 0
    let token = screen.addKeyCommand(.character("q")) { quits += 1 }
    screen.press(.character("q"))
    #expect(quits == 1)
    let alert = present("Quit?")
    screen.press(.character("q"))
    #expect(quits == 1)
    alert.dismiss()
    screen.removeKeyCommand(token)
    screen.press(.character("q"))
    #expect(quits == 1)
  }

  @Test func anAlertHasTheKeysUntilItIsAnswered() {
    var answers: [String] = []
    let alert = Alert(title: "Quit?", message: "The recording\nhas not ended.")
    alert.addAction(AlertAction(title: "Quit") { answers.append("quit") })
    alert.addAction(AlertAction(title: "Stay", style: .cancel) { answers.append("stay") })
    screen.focus(second)
    screen.present(alert)
    first.addAction(for: .primaryActionTriggered) { answers.append("below") }
    screen.click(Point(x: 1, y: 0))
    screen.press(.right)
    screen.press(.enter)
    #expect(answers == ["stay"] && !alert.isPresented)
    #expect(screen.focused === second)
    screen.present(alert)
    screen.press(.enter)
    screen.present(alert)
    screen.press(.escape)
    #expect(answers == ["stay", "quit", "stay"])
  }

  @Test func anAlertWithAFieldIsWrittenInAndAnsweredByReturn() {
    let alert = Alert(title: "Fence")
    alert.addTextField(label: "Radius", placeholder: "metres")
    var radius: String?
    let ok = AlertAction(title: "OK") { [weak alert] in radius = alert?.textFields[0].text }
    alert.addAction(ok)
    ok.isEnabled = false
    screen.present(alert)
    screen.press(.character("5"))
    screen.press(.enter)
    #expect(alert.isPresented)
    ok.isEnabled = true
    screen.press(.enter)
    #expect(radius == "5")
    #expect(!alert.isPresented)
  }

  @Test func aMessageThatIsTooLongIsScrolled() {
    present("Fix", (1...20).map { "line \($0)" }.joined(separator: "\n"))
    #expect(screen.render().text.contains("line 5"))
    #expect(!screen.render().text.contains("line 6"))
    for _ in 0..<30 { screen.press(.down) }
    #expect(screen.render().text.contains("line 20"))
    screen.press(.up)
    #expect(!screen.render().text.contains("line 20"))
  }

  @Test func theLowerOfTwoAlertsGoesWithoutTakingTheKeys() {
    screen.focus(third)
    let (lower, upper) = (present("lower"), present("upper"))
    let focused = screen.focused
    lower.dismiss()
    #expect(screen.focused === focused)
    upper.dismiss()
    #expect(screen.alerts.isEmpty)
  }

  /// Every size, down to none: nothing traps, and nothing is drawn outside.
  @Test func everySizeIsDrawn() {
    let alert = Alert(title: "Fence here", message: "a message\nof two lines")
    alert.addTextField(label: "Radius")
    alert.addAction(AlertAction(title: "OK"))
    screen.present(alert)
    for width in 0..<24 {
      for height in 0..<9 {
        screen.size = Size(width: width, height: height)
        let rows = screen.render().rows
        #expect(rows.count == height && rows.allSatisfy { $0.count == width })
      }
    }
  }

  @Test func manyScreensLeaveNothing() {
    weak var last: View?
    for _ in 0..<50 {
      let button = Button(title: "OK")
      let screen = Screen(root: StackView(axis: .vertical, [(button, .fitting)]))
      let alert = Alert(title: "Quit?")
      alert.addAction(AlertAction(title: "OK"))
      screen.present(alert)
      button.addAction(for: .primaryActionTriggered) { [weak button] in button?.title = "" }
      _ = screen.render()
      last = button
    }
    #expect(last == nil)
  }

  /// It does so whichever way the keys come and go.
  @Test func aFieldReportsThatItHasTheKeysAndThatItHasThemNoLonger() {
    let (field, button) = (TextField(), Button(title: "OK"))
    let screen = Screen(root: StackView(axis: .vertical, [(button, .fitting), (field, .fitting)]))
    var events: [Control.Event] = []
    for event in [Control.Event.editingDidBegin, .editingDidEnd] {
      field.addAction(for: event) { events.append(event) }
      button.addAction(for: event) { events.append(event) }
    }
    _ = screen.render()
    screen.press(.tab)
    screen.focus(field)
    #expect(events == [.editingDidBegin])
    screen.click(Point(x: 0, y: 0))
    #expect(events == [.editingDidBegin, .editingDidEnd])
    screen.click(Point(x: 0, y: 1))
    let alert = Alert(title: "Quit?")
    alert.addAction(AlertAction(title: "OK"))
    screen.present(alert)
    #expect(events.suffix(2) == [.editingDidBegin, .editingDidEnd])
    alert.dismiss()
    field.isHidden = true
    _ = screen.render()
    #expect(events.suffix(2) == [.editingDidBegin, .editingDidEnd])
    #expect(events.count == 6)
  }

  /// The one who hears of it gives the keys to another view.
  @Test func aFieldThatPassesTheKeysOnHasThemNoLonger() {
    let (field, next) = (TextField(), TextField())
    let screen = Screen(root: StackView(axis: .vertical, [(first, .fitting), (field, .fitting), (next, .fitting)]))
    var events: [String] = []
    field.addAction(for: .editingDidBegin) {
      events.append("field begins")
      screen.focus(next)
    }
    field.addAction(for: .editingDidEnd) { events.append("field ends") }
    next.addAction(for: .editingDidBegin) { events.append("next begins") }
    _ = screen.render()
    screen.focus(field)
    #expect(events == ["field begins", "field ends", "next begins"])
    #expect(screen.focused === next)
  }
}
