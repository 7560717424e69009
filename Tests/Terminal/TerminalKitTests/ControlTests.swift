import TestSupport
import Testing

@testable import TerminalKit

@MainActor
private func drawn(_ view: View, width: Int = 12, height: Int = 1) -> String {
  Screen(root: view, size: Size(width: width, height: height)).render().text
}

@MainActor @Suite(.inTurn) struct ControlTests {
  @Test func aLabelShowsItsLinesAndCutsThem() {
    let label = Label(text: "latitude\nlongitude of it")
    #expect(drawn(label, width: 10, height: 2) == "latitude\nlongitude…\n")
    label.isRightAligned = true
    #expect(drawn(label, width: 10, height: 2) == "  latitude\nlongitude…\n")
    #expect(label.sizeThatFits(width: 80) == Size(width: 15, height: 2))
  }

  @Test(
    arguments: [
      (0, "░░░░"), (0.001, "█░░░"), (0.26, "█░░░"), (0.5, "██░░"), (0.99, "███░"), (1, "████"), (7, "████"),
      (-1, "░░░░"), (nil, ""), (.nan, ""), (.infinity, ""),
    ] as [(Double?, String)])
  func aBarIsFullOnlyWhenItsValueIsAndAbsentWithoutOne(value: Double?, text: String) {
    let bar = ProgressBar()
    bar.value = value
    #expect(drawn(bar, width: 4) == text + "\n")
  }

  @Test func aButtonIsPressedByKeysAndClicks() {
    let button = Button(title: "OK")
    let screen = Screen(root: button)
    _ = screen.render()
    var taps = 0
    let token = button.addAction(for: .primaryActionTriggered) { taps += 1 }
    screen.press(.enter)
    screen.press(.character(" "))
    screen.click(Point(x: 1, y: 0))
    #expect(taps == 3)
    button.isEnabled = false
    screen.press(.enter)
    screen.click(Point(x: 1, y: 0))
    #expect(taps == 3)
    button.isEnabled = true
    button.removeAction(token)
    screen.press(.enter)
    #expect(taps == 3)
    #expect(!button.hasActions)
    #expect(screen.render().text(ofRow: 0) == "[ OK ]")
  }

  @Test func aFieldIsWrittenInAtItsCursor() {
    let field = TextField(placeholder: "name")
    let screen = Screen(root: field, size: Size(width: 6, height: 1))
    var edits: [String?] = []
    var returns = 0
    field.addAction(for: .editingChanged) { edits.append(field.text) }
    field.addAction(for: .primaryActionTriggered) { returns += 1 }
    for key in [Key.character("a"), .character("c"), .left, .character("b"), .home, .delete, .end, .backspace, .left] {
      screen.press(key)
    }
    screen.press(.enter)
    #expect(edits == ["a", "ac", "abc", "bc", "b"])
    #expect(returns == 1)
    screen.press(.end)
    screen.press(.delete)
    #expect(field.text == "b")
    screen.press(.control("u"))
    #expect(field.text == "")
    // What the program sets is not reported, and the cursor goes behind it.
    field.text = "harbour"
    screen.press(.character("s"))
    #expect(edits.last == "harbours")
    let surface = screen.render()
    #expect(surface.text == "bours\n")
    #expect(surface.cursor == Point(x: 5, y: 0))
  }

  @Test func aFieldTakesAccentsAndWideCharacters() {
    let field = TextField()
    let screen = Screen(root: field, size: Size(width: 8, height: 1))
    for key in "e\u{301}地".unicodeScalars.map({ Key.character(Character($0)) }) { screen.press(key) }
    #expect(field.text == "é地")
    #expect(screen.render().cursor == Point(x: 3, y: 0))
    screen.press(.backspace)
    screen.press(.backspace)
    screen.press(.backspace)
    #expect(field.text == "")
  }

  @Test func aPlaceholderShowsWhileAFieldIsEmptyAndHasNoKeys() {
    let (field, button) = (TextField(placeholder: "name"), Button(title: "OK"))
    let screen = Screen(
      root: StackView(axis: .vertical, [(button, .fitting), (field, .fitting)]), size: Size(width: 8, height: 2))
    #expect(screen.render().text(ofRow: 1) == "name")
    screen.press(.tab)
    #expect(screen.render().text(ofRow: 1) == "")
  }

  @Test func aStackSharesItsRoom() {
    func label(_ text: String) -> Label { Label(text: text) }
    let row = StackView(
      axis: .horizontal, spacing: 1,
      [(label("ab"), .fitting), (label("x"), .fill), (label("y"), .fill), (label("z"), .fixed(2))])
    #expect(drawn(row, width: 14) == "ab x    y   z\n")
    row.subviews[1].isHidden = true
    #expect(drawn(row, width: 14) == "ab y        z\n")
    // What comes last gives way.
    #expect(drawn(row, width: 4) == "ab\n")
    #expect(row.sizeThatFits(width: 80) == Size(width: 7, height: 1))
  }

  @Test func aStackWithTooLittleRoomLeavesOutItsEnd() {
    let column = StackView(axis: .vertical, (0..<4).map { (Label(text: "\($0)"), .fitting) })
    #expect(drawn(column, height: 2) == "0\n1\n")
  }
}
