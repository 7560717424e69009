/// A list of rows with one line each. It requests the visible cells from its data source, and reports the user's
/// actions to its delegate. UIKit's `UITableView`, with one section.
@MainActor
public final class ListView: View {
  /// Receives the user's actions. Held weakly.
  public weak var delegate: (any ListViewDelegate)? { didSet { delegateObserver?.delegateDidChange() } }

  /// The source of the rows. Held weakly; call ``reloadData()`` when they have changed.
  public weak var dataSource: (any ListViewDataSource)? { didSet { delegateObserver?.delegateDidChange() } }

  /// The row that was chosen last; `nil` for none.
  public private(set) var selectedRow: Int?
  /// The row to which keys apply; `nil` without rows.
  public private(set) var highlightedRow: Int?
  /// The visible cells, from top to bottom.
  public private(set) var visibleCells: [ListCell] = []
  /// The number of rows at the last request to the data source.
  public private(set) var numberOfRows = 0
  /// The first visible row.
  public private(set) var firstVisibleRow = 0

  private var cellTypes: [String: ListCell.Type] = [:]
  /// The unused cells, by their identifiers.
  private var unusedCells: [String: [ListCell]] = [:]

  /// Creates an empty list.
  public override init() {}

  /// Sets the class of the cells that ``dequeueReusableCell(withIdentifier:)`` creates.
  public func register(_ type: ListCell.Type, forCellReuseIdentifier identifier: String) {
    cellTypes[identifier] = type
    unusedCells[identifier] = nil
  }

  /// An unused cell, or else a new one of the class that was registered under `identifier`.
  public func dequeueReusableCell(withIdentifier identifier: String) -> ListCell {
    if let cell = unusedCells[identifier]?.popLast() {
      cell.prepareForReuse()
      return cell
    }
    let cell = (cellTypes[identifier] ?? ListCell.self).init()
    cell.reuseIdentifier = identifier
    return cell
  }

  /// Requests the rows from the data source again. The highlight stays on its row if that still exists.
  public func reloadData() {
    numberOfRows = max(0, dataSource?.numberOfRows(in: self) ?? 0)
    if let row = highlightedRow { highlightedRow = numberOfRows == 0 ? nil : min(row, numberOfRows - 1) }
    if highlightedRow == nil, numberOfRows > 0 { highlightedRow = 0 }
    if let row = selectedRow, row >= numberOfRows { selectedRow = nil }
    showRows()
  }

  // MARK: The user's work

  /// Chooses a row for the user, unless the delegate objects.
  public func select(_ row: Int) {
    guard 0..<numberOfRows ~= row, delegate?.listView(self, shouldSelectRow: row) ?? true else { return }
    highlight(row)
    selectedRow = row
    if let cell = cell(forRow: row) { cell.sendActions(for: .primaryActionTriggered) }
    delegate?.listView(self, didSelectRow: row)
  }

  /// Clears the choice of a row.
  public func deselectRow(_ row: Int) {
    if selectedRow == row { selectedRow = nil }
  }

  /// Deletes a row for the user: the delegate is called, and changes the data source.
  public func delete(_ row: Int) {
    guard 0..<numberOfRows ~= row else { return }
    delegate?.listView(self, didDeleteRow: row)
  }

  /// The cell of a row; `nil` if it is not visible.
  public func cell(forRow row: Int) -> ListCell? {
    let index = row - firstVisibleRow
    return visibleCells.indices.contains(index) ? visibleCells[index] : nil
  }

  // MARK: The view's part

  /// Tab skips a list without rows.
  public override var canBecomeFocused: Bool { numberOfRows > 0 }

  /// One line for each known row.
  public override func sizeThatFits(width: Int) -> Size { Size(width: 0, height: numberOfRows) }

  /// Requests the visible cells after the height of the list has changed.
  public override func layoutSubviews() {
    if visibleCells.count != min(frame.height, numberOfRows) || visibleCells.first?.frame.width != frame.width {
      showRows()
    }
    for cell in visibleCells { cell.isHighlighted = false }
    if isFocused, let highlightedRow { cell(forRow: highlightedRow)?.isHighlighted = true }
  }

  /// Arrow and page keys move the highlight, Return chooses the row, Delete deletes it. While a control in a cell has
  /// the focus, the list gets the keys that the control does not handle. They apply to the control's row, and if they
  /// move to another row, the same control in that row gets the focus.
  public override func press(_ key: Key) -> Bool {
    let place = focusedPlace
    if let place { highlightedRow = place.row }
    guard let row = highlightedRow else { return false }
    defer { if let place, let highlightedRow { focus(place.index, inRow: highlightedRow) } }
    switch key {
    case .up where row > 0: highlight(row - 1)
    case .down where row < numberOfRows - 1: highlight(row + 1)
    case .pageUp: highlight(row - max(1, frame.height - 1))
    case .pageDown: highlight(row + max(1, frame.height - 1))
    case .home: highlight(0)
    case .end: highlight(numberOfRows - 1)
    case .enter: select(row)
    case .delete, .backspace: delete(row)
    default: return key == .up || key == .down
    }
    return true
  }

  /// A click chooses the row.
  public override func click(_ point: Point) { select(firstVisibleRow + point.y) }

  /// The wheel moves the highlight.
  public override func scroll(by rows: Int) -> Bool {
    if let row = highlightedRow { highlight(row + rows) }
    return true
  }

  /// A click on a control in a cell goes to the control, any other click to the list.
  override func hit(_ point: Point) -> (view: View, point: Point)? {
    if let target = super.hit(point), target.view.canBecomeFocused { return target }
    return (self, point)
  }

  /// The focused control in a cell: the row of its cell, and its index among the cell's controls.
  private var focusedPlace: (row: Int, index: Int)? {
    guard let focused = window?.focused, focused !== self else { return nil }
    for (offset, cell) in visibleCells.enumerated() {
      if let index = cell.focusable.firstIndex(where: { $0 === focused }) { return (firstVisibleRow + offset, index) }
    }
    return nil
  }

  /// Focuses a control in the cell of a row, or the list if the cell has no control.
  private func focus(_ index: Int, inRow row: Int) {
    let cell = cell(forRow: row)
    // A control without an extent cannot be focused yet.
    cell?.layOut()
    let controls = cell?.focusable ?? []
    window?.focus(controls.indices.contains(index) ? controls[index] : self)
  }

  private func highlight(_ row: Int) {
    highlightedRow = max(0, min(row, numberOfRows - 1))
    if firstVisibleRow != firstRow { showRows() }
    setNeedsDisplay()
  }

  /// The first row to show so that the highlighted one is visible.
  private var firstRow: Int {
    let row = highlightedRow ?? 0
    let first = row < firstVisibleRow ? row : max(firstVisibleRow, row - frame.height + 1)
    return max(0, min(first, numberOfRows - frame.height))
  }

  private func showRows() {
    // The cells may be used for other rows: the focus stays with the row, not with the cell.
    let place = focusedPlace
    defer { if let place { focus(place.index, inRow: place.row) } }
    // The unused cells are a stack, so rows that have not moved get their own cells again.
    for cell in visibleCells.reversed() {
      cell.removeFromSuperview()
      if let identifier = cell.reuseIdentifier { unusedCells[identifier, default: []].append(cell) }
    }
    visibleCells = []
    firstVisibleRow = firstRow
    guard let dataSource else { return setNeedsDisplay() }
    for row in firstVisibleRow..<min(numberOfRows, firstVisibleRow + frame.height) {
      let cell = dataSource.listView(self, cellForRow: row)
      cell.frame = Rect(x: 0, y: row - firstVisibleRow, width: frame.width, height: 1)
      visibleCells.append(cell)
      addSubview(cell)
    }
    setNeedsDisplay()
  }
}

/// The events of a list. UIKit's `UITableViewDelegate`.
@MainActor
public protocol ListViewDelegate: AnyObject {
  /// Whether the user may choose a row; the default is true.
  func listView(_ listView: ListView, shouldSelectRow row: Int) -> Bool
  /// The user has chosen a row.
  func listView(_ listView: ListView, didSelectRow row: Int)
  /// The user wants to delete a row.
  func listView(_ listView: ListView, didDeleteRow row: Int)
}

extension ListViewDelegate {
  /// The delegate behind this one, if this one is a proxy.
  private func delegateBehind(_ method: String = #function) -> (any ListViewDelegate)? {
    (self as? any ListViewDelegateForwarder)?.forwardToDelegate(as: (any ListViewDelegate).self, method: method)
  }

  /// Every row may be chosen; a proxy asks the delegate behind it.
  public func listView(_ listView: ListView, shouldSelectRow row: Int) -> Bool {
    delegateBehind()?.listView(listView, shouldSelectRow: row) ?? true
  }
  /// Does nothing; a proxy forwards the call.
  public func listView(_ listView: ListView, didSelectRow row: Int) {
    delegateBehind()?.listView(listView, didSelectRow: row)
  }
  /// Does nothing; a proxy forwards the call.
  public func listView(_ listView: ListView, didDeleteRow row: Int) {
    delegateBehind()?.listView(listView, didDeleteRow: row)
  }
}

/// The source of a list's rows. UIKit's `UITableViewDataSource`.
@MainActor
public protocol ListViewDataSource: AnyObject {
  /// The number of rows.
  func numberOfRows(in listView: ListView) -> Int
  /// The cell of a row, usually from ``ListView/dequeueReusableCell(withIdentifier:)``.
  func listView(_ listView: ListView, cellForRow row: Int) -> ListCell
}

/// An object in the place of a list's delegate with another delegate behind it, such as a delegate proxy. If it does
/// not write a method, the default implementation calls that delegate.
@MainActor
public protocol ListViewDelegateForwarder: AnyObject {
  /// The delegate to which this one forwards, for the default implementation of `method`; `nil` without a delegate of this type.
  func forwardToDelegate<Delegate>(as type: Delegate.Type, method: String) -> Delegate?
}
