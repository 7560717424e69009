import TestSupport
import Testing

@testable import TerminalKit

@MainActor
private final class Names: ListViewDataSource, ListViewDelegate {
  var names: [String]
  var selected: [Int] = []
  var deleted: [Int] = []
  var forbidden: Int?
  private(set) var asked: [Int] = []

  init(_ names: [String]) { self.names = names }

  func numberOfRows(in listView: ListView) -> Int { names.count }

  func listView(_ listView: ListView, cellForRow row: Int) -> ListCell {
    asked.append(row)
    let cell = listView.dequeueReusableCell(withIdentifier: "name")
    cell.text = names[row]
    return cell
  }

  func listView(_ listView: ListView, shouldSelectRow row: Int) -> Bool { row != forbidden }
  func listView(_ listView: ListView, didSelectRow row: Int) { selected.append(row) }

  func listView(_ listView: ListView, didDeleteRow row: Int) {
    deleted.append(row)
    names.remove(at: row)
    listView.reloadData()
  }
}

@MainActor @Suite(.inTurn) struct ListViewTests {
  private let list = ListView()
  private let names = Names((0..<20).map { "row \($0)" })
  private let screen: Screen

  init() {
    screen = Screen(root: list, size: Size(width: 8, height: 4))
    list.dataSource = names
    list.delegate = names
    list.reloadData()
    _ = screen.render()
  }

  @Test func onlyRowsThatAreSeenHaveCells() {
    #expect(names.asked == [0, 1, 2, 3])
    #expect(screen.render().text == "row 0\nrow 1\nrow 2\nrow 3\n")
    screen.size = Size(width: 8, height: 2)
    #expect(screen.render().text == "row 0\nrow 1\n")
    #expect(list.visibleCells.count == 2)
  }

  @Test func cellsAreUsedAgain() {
    let first = Set(list.visibleCells.map { ObjectIdentifier($0) })
    for key in [Key.end, .home, .pageDown] {
      screen.press(key)
      #expect(Set(list.visibleCells.map { ObjectIdentifier($0) }) == first)
    }
  }

  @Test func keysMoveTheHighlightAndScroll() {
    for (key, row, first) in [
      (Key.down, 1, 0), (.pageDown, 4, 1), (.end, 19, 16), (.down, 19, 16), (.up, 18, 16), (.pageUp, 15, 15),
      (.home, 0, 0),
      (.up, 0, 0),
      (.pageUp, 0, 0),
    ] {
      screen.press(key)
      #expect(list.highlightedRow == row, "after \(key)")
      #expect(list.firstVisibleRow == first, "after \(key)")
    }
  }

  @Test func theHighlightedRowIsReversed() {
    screen.press(.down)
    let reversed = screen.render().rows.map { $0.allSatisfy(\.style.isReversed) }
    #expect(reversed == [false, true, false, false])
  }

  @Test func returnAndClicksChooseRows() {
    screen.press(.end)
    screen.press(.enter)
    screen.click(Point(x: 3, y: 1))
    #expect(names.selected == [19, 17])
    #expect(list.selectedRow == 17)
    #expect(list.highlightedRow == 17)
    names.forbidden = 16
    screen.click(Point(x: 3, y: 0))
    #expect(names.selected == [19, 17])
    list.deselectRow(17)
    #expect(list.selectedRow == nil)
  }

  @Test func aClickBelowTheRowsChoosesNone() {
    names.names = ["only"]
    list.reloadData()
    screen.click(Point(x: 0, y: 2))
    #expect(names.selected.isEmpty)
  }

  @Test func rowsAreDeletedWhereTheHighlightIs() {
    screen.press(.end)
    screen.press(.delete)
    #expect(names.deleted == [19])
    #expect(list.highlightedRow == 18)
    #expect(screen.render().text(ofRow: 3) == "row 18")
    names.names = []
    list.reloadData()
    screen.press(.delete)
    #expect(names.deleted == [19])
    #expect(list.highlightedRow == nil)
    #expect(screen.render().text == "\n\n\n\n")
  }

  @Test func aSelectionLastsAsLongAsItsRow() {
    list.select(19)
    names.names.append("row 20")
    list.reloadData()
    #expect(list.selectedRow == 19)
    names.names.removeLast(2)
    list.reloadData()
    #expect(list.selectedRow == nil && list.highlightedRow == 18)
    // A new row of that number is another row.
    names.names.append("new")
    list.reloadData()
    #expect(list.selectedRow == nil)
  }

  @Test func theWheelScrolls() {
    for _ in 0..<5 { screen.scroll(at: Point(x: 0, y: 0), by: 1) }
    #expect(list.highlightedRow == 5)
    #expect(list.firstVisibleRow == 2)
  }

  @Test func aDataSourceThatHasGoneLeavesAnEmptyList() {
    list.dataSource = Names(["short-lived"])
    list.reloadData()
    #expect(list.numberOfRows == 0)
    #expect(screen.render().text == "\n\n\n\n")
  }

  // MARK: Controls in cells

  private final class ButtonCell: ListCell {
    let button = Button(title: "x")

    required init() {
      super.init()
      addSubview(button)
    }

    override func layoutSubviews() { button.frame = Rect(x: 5, y: 0, width: 3, height: 1) }
  }

  private func showButtons() -> () -> [String] {
    // The cells that are shown go first: they are of another class.
    list.dataSource = nil
    list.reloadData()
    list.register(ButtonCell.self, forCellReuseIdentifier: "name")
    list.dataSource = names
    list.reloadData()
    _ = screen.render()
    return { [list] in
      // Which row's button has the keys.
      list.visibleCells.compactMap { cell in (cell as? ButtonCell)?.button.isFocused == true ? cell.text : nil }
    }
  }

  @Test func tabAndClicksReachAControlInACell() {
    let focused = showButtons()
    screen.press(.tab)
    #expect(focused() == ["row 0"])
    var presses = 0
    (list.cell(forRow: 2) as? ButtonCell)?.button.addAction(for: .primaryActionTriggered) { presses += 1 }
    screen.click(Point(x: 6, y: 2))
    #expect(focused() == ["row 2"])
    screen.press(.enter)
    #expect(presses == 2)
    #expect(names.selected.isEmpty)
    // Beside the button it is the list's.
    screen.click(Point(x: 0, y: 1))
    #expect(names.selected == [1])
    #expect(list.isFocused)
  }

  @Test func arrowsGoToTheSameControlOfAnotherRow() {
    let focused = showButtons()
    screen.click(Point(x: 6, y: 3))
    for (key, row) in [(Key.down, 4), (.up, 3), (.end, 19), (.pageUp, 16), (.home, 0)] {
      screen.press(key)
      #expect(focused() == ["row \(row)"], "after \(key)")
      #expect(list.highlightedRow == row)
    }
  }

  @Test func theKeysStayWithTheRowWhenCellsAreMadeAnew() {
    let focused = showButtons()
    screen.click(Point(x: 6, y: 1))
    list.reloadData()
    #expect(focused() == ["row 1"])
    // The row that is scrolled away leaves them to the list.
    for _ in 0..<5 { screen.scroll(at: Point(x: 0, y: 0), by: 1) }
    #expect(focused() == [])
    #expect(list.isFocused)
    screen.press(.home)
    screen.click(Point(x: 6, y: 3))
    names.names = ["row 0", "row 1"]
    list.reloadData()
    #expect(list.isFocused)
  }
}
