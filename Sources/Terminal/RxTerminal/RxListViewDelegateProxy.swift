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
