import Rx
import RxBinding

/// A list without a screen. It asks its data source for cells and reports to its delegate what the user does.
@MainActor
final class ListView: HasDelegate, HasDataSource, DelegateProxyHolder {
  let delegateProxies = DelegateProxies()
  weak var delegate: (any ListViewDelegate)? { didSet { delegateProxies.delegateDidChange() } }
  weak var dataSource: (any ListViewDataSource)? { didSet { delegateProxies.delegateDidChange() } }

  private(set) var cells: [ListCell] = []
  private(set) var selectedRow: Int?
  private var cellTypes: [String: ListCell.Type] = [:]

  func register(_ type: ListCell.Type, forCellReuseIdentifier identifier: String) {
    cellTypes[identifier] = type
  }

  func dequeueReusableCell(withIdentifier identifier: String) -> ListCell {
    (cellTypes[identifier] ?? ListCell.self).init()
  }

  func reloadData() {
    let count = dataSource?.numberOfRows(in: self) ?? 0
    cells = (0..<count).compactMap { dataSource?.listView(self, cellForRow: $0) }
  }

  func deselectRow(_ row: Int) {
    if selectedRow == row { selectedRow = nil }
  }

  /// The user touches a row.
  func select(_ row: Int) {
    guard delegate?.listView(self, shouldSelectRow: row) ?? true else { return }
    selectedRow = row
    delegate?.listView(self, didSelectRow: row)
  }

  /// The user swipes a row away.
  func delete(_ row: Int) {
    delegate?.listView(self, didDeleteRow: row)
  }
}

class ListCell: Control {
  var text: String?
  /// For what is bound to the cell.
  let bag = DisposeBag()

  override required init() {}

  /// The user taps.
  func tap() { send(.tap) }
}

@MainActor
protocol ListViewDelegate: AnyObject {
  func listView(_ listView: ListView, shouldSelectRow row: Int) -> Bool
  func listView(_ listView: ListView, didSelectRow row: Int)
  func listView(_ listView: ListView, didDeleteRow row: Int)
}

extension ListViewDelegate {
  func listView(_ listView: ListView, shouldSelectRow row: Int) -> Bool { true }
  func listView(_ listView: ListView, didSelectRow row: Int) {}
  func listView(_ listView: ListView, didDeleteRow row: Int) {}
}

@MainActor
protocol ListViewDataSource: AnyObject {
  func numberOfRows(in listView: ListView) -> Int
  func listView(_ listView: ListView, cellForRow row: Int) -> ListCell
}
