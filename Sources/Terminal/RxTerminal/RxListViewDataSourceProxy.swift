public import RxBinding
public import TerminalKit

extension ListView: HasDataSource {
  /// The data source's type.
  public typealias DataSource = any ListViewDataSource
}

/// Takes the place of a list's data source, turns its calls into streams, and forwards them.
public final class RxListViewDataSourceProxy:
  DelegateProxy<ListView, any ListViewDataSource>, DelegateProxyType, ListViewDataSource
{
  /// The user's own data source.
  public weak var forwarded: (any ListViewDataSource)?

  /// Creates the proxy of `listView`. Use `proxy(for:)`, which creates one for each list.
  public init(listView: ListView) {
    super.init(parentObject: listView, delegateProxy: RxListViewDataSourceProxy.self)
  }

  /// Registers this class for lists.
  public static func registerKnownImplementations() {
    register { RxListViewDataSourceProxy(listView: $0) }
  }

  /// Observed as `numberOfRows`. The user's data source answers; without one the answer is 0.
  public func numberOfRows(in listView: ListView) -> Int {
    invoke(.numberOfRows, listView, default: 0) { $0.numberOfRows(in: listView) }
  }

  /// Observed as `cellForRow`. The user's data source answers; without one the cell is empty.
  public func listView(_ listView: ListView, cellForRow row: Int) -> ListCell {
    invoke(.cellForRow, row, default: ListCell()) { $0.listView(listView, cellForRow: row) }
  }
}

extension DelegateMethod where Delegate == any ListViewDataSource, Arguments == ListView {
  /// `numberOfRows(in:)`
  public static var numberOfRows: Self { Self() }
}

extension DelegateMethod where Delegate == any ListViewDataSource, Arguments == Int {
  /// `listView(_:cellForRow:)`
  public static var cellForRow: Self { Self() }
}
