public import RxBinding
public import TerminalKit

extension DelegateProxy: ListViewDelegateForwarder {}

extension ListView: HasDelegate {
  /// The delegate's type.
  public typealias Delegate = any ListViewDelegate
}

/// Takes the place of a list's delegate, turns its calls into streams, and forwards them.
public final class RxListViewDelegateProxy:
  DelegateProxy<ListView, any ListViewDelegate>, DelegateProxyType, ListViewDelegate
{
  /// The user's own delegate.
  public weak var forwarded: (any ListViewDelegate)?

  /// Creates the proxy of `listView`. Use `proxy(for:)`, which creates one for each list.
  public init(listView: ListView) {
    super.init(parentObject: listView, delegateProxy: RxListViewDelegateProxy.self)
  }

  /// Registers this class for lists.
  public static func registerKnownImplementations() {
    register { RxListViewDelegateProxy(listView: $0) }
  }

  /// Observed as `shouldSelectRow`. The user's delegate answers; without one the answer is `true`.
  public func listView(_ listView: ListView, shouldSelectRow row: Int) -> Bool {
    invoke(.shouldSelectRow, row, default: true) { $0.listView(listView, shouldSelectRow: row) }
  }

  /// Observed as `didSelectRow`.
  public func listView(_ listView: ListView, didSelectRow row: Int) {
    invoke(.didSelectRow, row) { $0.listView(listView, didSelectRow: row) }
  }

  /// Observed as `didDeleteRow`.
  public func listView(_ listView: ListView, didDeleteRow row: Int) {
    invoke(.didDeleteRow, row) { $0.listView(listView, didDeleteRow: row) }
  }
}

extension DelegateMethod where Delegate == any ListViewDelegate, Arguments == Int {
  /// `listView(_:shouldSelectRow:)`
  public static var shouldSelectRow: Self { Self() }

  /// `listView(_:didSelectRow:)`
  public static var didSelectRow: Self { Self() }

  /// `listView(_:didDeleteRow:)`
  public static var didDeleteRow: Self { Self() }
}

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
