/// A list of rows, one line each. It asks its data source for the cells of those that can be seen, and reports to its
/// delegate what the user does. UIKit's `UITableView`, with one section.
@MainActor
public final class ListView: View {
  /// Receives the user's actions. Held weakly.
  public weak var delegate: (any ListViewDelegate)? {
    didSet { delegateObserver?.delegateDidChange() }
  }

  /// Where the rows come from. Held weakly; call ``reloadData()`` when they have changed.
  public weak var dataSource: (any ListViewDataSource)? {
    didSet { delegateObserver?.delegateDidChange() }
  }

  /// The row that was chosen last; `nil` for none.
  public private(set) var selectedRow: Int?
  /// The row that keys work on; `nil` while there are no rows.
  public private(set) var highlightedRow: Int?
  /// The cells that can be seen, from top to bottom.
  public private(set) var visibleCells: [ListCell] = []
  /// How many rows the data source had when it was asked last.
  public private(set) var numberOfRows = 0
  /// The first row that can be seen.
  public private(set) var firstVisibleRow = 0

  private var pool = ListCellPool()

  /// Creates an empty list.
  public override init() {}

  /// Names the class of the cells that ``dequeueReusableCell(withIdentifier:)`` makes.
  public func register(_ type: ListCell.Type, forCellReuseIdentifier identifier: String) {
    pool.register(type, identifier)
  }

  /// A cell that is not used any more, or else a new one of the class that was registered under `identifier`.
  public func dequeueReusableCell(withIdentifier identifier: String) -> ListCell {
    pool.dequeue(identifier)
  }

  /// Asks the data source anew. The highlight stays on its row while there is one.
  public func reloadData() {
    numberOfRows = max(0, dataSource?.numberOfRows(in: self) ?? 0)
    if let row = highlightedRow { highlightedRow = numberOfRows == 0 ? nil : min(row, numberOfRows - 1) }
    if highlightedRow == nil, numberOfRows > 0 { highlightedRow = 0 }
    if let row = selectedRow, row >= numberOfRows { selectedRow = nil }
    showRows()
  }

  // MARK: The user's work

  /// The user chooses a row, unless the delegate objects.
  public func select(_ row: Int) {
    guard 0..<numberOfRows ~= row, delegate?.listView(self, shouldSelectRow: row) ?? true else { return }
    highlight(row)
    selectedRow = row
    if let cell = cell(forRow: row) { cell.sendActions(for: .primaryActionTriggered) }
    delegate?.listView(self, didSelectRow: row)
  }

  /// Takes the choice back.
  public func deselectRow(_ row: Int) {
    if selectedRow == row { selectedRow = nil }
  }

  /// The user deletes a row: the delegate is called, and changes what the data source has.
  public func delete(_ row: Int) {
    guard 0..<numberOfRows ~= row else { return }
    delegate?.listView(self, didDeleteRow: row)
  }

  /// The cell of a row; `nil` when it cannot be seen.
  public func cell(forRow row: Int) -> ListCell? {
    let index = row - firstVisibleRow
    return visibleCells.indices.contains(index) ? visibleCells[index] : nil
  }

  // MARK: The view's part

  /// A list without rows is passed over.
  public override var canBecomeFocused: Bool { numberOfRows > 0 }

  /// A row for each, as far as they are known.
  public override func sizeThatFits(width: Int) -> Size { Size(width: 0, height: numberOfRows) }

  /// Makes the cells that can be seen, once the list has got another height.
  public override func layoutSubviews() {
    if visibleCells.count != min(frame.height, numberOfRows) || visibleCells.first?.frame.width != frame.width {
      showRows()
    }
    for cell in visibleCells { cell.isHighlighted = false }
    if isFocused, let highlightedRow { cell(forRow: highlightedRow)?.isHighlighted = true }
  }

  /// Arrows and pages move the highlight, Return chooses the row, Delete deletes it. While a control in a cell has the keys, the
  /// list gets those that the control has no use for. They work on the control's row, and when they move to another row, the
  /// same control in that row has the keys.
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
  public override func click(_ point: Point) {
    select(firstVisibleRow + point.y)
  }

  /// The wheel moves the highlight.
  public override func scroll(by rows: Int) -> Bool {
    if let row = highlightedRow { highlight(row + rows) }
    return true
  }

  /// A click on a control in a cell is the control's, any other is the list's.
  override func hit(_ point: Point) -> (view: View, point: Point)? {
    if let target = super.hit(point), target.view.canBecomeFocused { return target }
    return (self, point)
  }

  /// The control in a cell that has the keys: its cell's row, and which of the cell's controls it is.
  private var focusedPlace: (row: Int, index: Int)? {
    guard let focused = window?.focused, focused !== self else { return nil }
    for (offset, cell) in visibleCells.enumerated() {
      if let index = cell.focusable.firstIndex(where: { $0 === focused }) { return (firstVisibleRow + offset, index) }
    }
    return nil
  }

  /// Gives the keys to a control in the cell of a row, or to the list if there is none.
  private func focus(_ index: Int, inRow row: Int) {
    let cell = cell(forRow: row)
    // Controls that have no extent yet do not take the keys.
    cell?.layOut()
    let controls = cell?.focusable ?? []
    window?.focus(controls.indices.contains(index) ? controls[index] : self)
  }

  private func highlight(_ row: Int) {
    highlightedRow = max(0, min(row, numberOfRows - 1))
    if firstVisibleRow != firstRow { showRows() }
    setNeedsDisplay()
  }

  /// The first row to show so that the highlighted one is seen.
  private var firstRow: Int {
    let row = highlightedRow ?? 0
    let first = row < firstVisibleRow ? row : max(firstVisibleRow, row - frame.height + 1)
    return max(0, min(first, numberOfRows - frame.height))
  }

  private func showRows() {
    // The cells may be used for other rows: the keys stay with the row, not with the cell.
    let place = focusedPlace
    defer { if let place { focus(place.index, inRow: place.row) } }
    // The last one to go into the pool is the first to come out: rows that have not moved get their own cells again.
    for cell in visibleCells.reversed() {
      cell.removeFromSuperview()
      pool.enqueue(cell)
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

/// What a list reports. UIKit's `UITableViewDelegate`.
@MainActor
public protocol ListViewDelegate: AnyObject {
  /// Whether the user may choose a row; without this method, yes.
  func listView(_ listView: ListView, shouldSelectRow row: Int) -> Bool
  /// The user has chosen a row.
  func listView(_ listView: ListView, didSelectRow row: Int)
  /// The user wants a row to be deleted.
  func listView(_ listView: ListView, didDeleteRow row: Int)
}

extension ListViewDelegate {
  /// The delegate behind this one, if this one is a proxy.
  private var delegateBehind: (any ListViewDelegate)? {
    (self as? any ListViewDelegateForwarder)?.forwardToDelegate(as: (any ListViewDelegate).self)
  }

  /// Every row may be chosen; a proxy asks the delegate behind it.
  public func listView(_ listView: ListView, shouldSelectRow row: Int) -> Bool {
    delegateBehind?.listView(listView, shouldSelectRow: row) ?? true
  }
  /// Does nothing; a proxy forwards the call.
  public func listView(_ listView: ListView, didSelectRow row: Int) {
    delegateBehind?.listView(listView, didSelectRow: row)
  }
  /// Does nothing; a proxy forwards the call.
  public func listView(_ listView: ListView, didDeleteRow row: Int) {
    delegateBehind?.listView(listView, didDeleteRow: row)
  }
}

/// Where a list's rows come from. UIKit's `UITableViewDataSource`.
@MainActor
public protocol ListViewDataSource: AnyObject {
  /// How many rows there are.
  func numberOfRows(in listView: ListView) -> Int
  /// The cell of a row, from ``ListView/dequeueReusableCell(withIdentifier:)`` as a rule.
  func listView(_ listView: ListView, cellForRow row: Int) -> ListCell
}

/// Stands where a list's delegate stands and has another delegate behind it, as a delegate proxy does. When it does not
/// write a method, the default implementation calls that delegate.
@MainActor
public protocol ListViewDelegateForwarder: AnyObject {
  /// The delegate behind this one; `nil` when there is none, or when it is not of this type.
  func forwardToDelegate<Delegate>(as type: Delegate.Type) -> Delegate?
}
