public import Rx
public import RxBinding
public import TerminalKit

@MainActor
extension Reactive where Base: ListView {
  /// The list's delegate proxy.
  public var delegate: DelegateProxy<ListView, any ListViewDelegate> { RxListViewDelegateProxy.proxy(for: base) }

  /// The list's data source proxy.
  public var dataSource: DelegateProxy<ListView, any ListViewDataSource> { RxListViewDataSourceProxy.proxy(for: base) }

  /// Calls a delegate in addition to the streams, until the result is disposed of. The delegate is held weakly.
  public func setDelegate(_ delegate: any ListViewDelegate) -> any Disposable {
    RxListViewDelegateProxy.installForwardDelegate(delegate, retainDelegate: false, onProxyForObject: base)
  }

  // MARK: What the user does

  /// The rows that the user chooses.
  public var itemSelected: ControlEvent<Int> { ControlEvent(events: delegate.methodInvoked(.didSelectRow)) }

  /// The rows that the user deletes.
  public var itemDeleted: ControlEvent<Int> { ControlEvent(events: delegate.methodInvoked(.didDeleteRow)) }

  /// The models of the rows that the user chooses, in a list that is bound by `items`. A model of another type is a
  /// programming error and traps.
  public func modelSelected<Model: Sendable>(_ type: Model.Type) -> ControlEvent<Model> { models(of: itemSelected) }

  /// The models of the rows that the user deletes, before the deletion, in a list that is bound by `items`. A model of
  /// another type is a programming error and traps.
  public func modelDeleted<Model: Sendable>(_ type: Model.Type) -> ControlEvent<Model> { models(of: itemDeleted) }

  private func models<Model: Sendable>(of rows: ControlEvent<Int>) -> ControlEvent<Model> {
    ControlEvent(
      events: rows.compactMap { [weak list = base as ListView] row -> Model? in
        guard let list else { return nil }
        return try? list.rx.model(at: row) as Model
      })
  }

  /// The model of a row, in a list that is bound by `items`. A model of another type is a programming error and traps.
  ///
  /// - Throws: `ItemsNotYetBound` if the list is not bound, or has no such row.
  public func model<Model>(at row: Int) throws(ItemsNotYetBound) -> Model {
    let source = dataSource.forwardToDelegate() as? any ListViewModels
    guard let value = source?.model(at: row) else { throw ItemsNotYetBound(row: row) }
    guard let model = value as? Model else {
      fatalError("Row \(row) shows a \(type(of: value)), not a \(Model.self): name the type that `items` is bound with")
    }
    return model
  }

  // MARK: Rows

  /// Shows the elements of a stream of arrays, each in the cell that a closure makes. The result is a function for
  /// `bind(to:)` and `drive(_:)`.
  public func items<Source: ObservableConvertibleType, Model: Sendable>(
    _ source: Source
  ) -> @MainActor (_ cell: @escaping @MainActor (ListView, Int, Model) -> ListCell) -> any Disposable
  where Source.Element == [Model] {
    { cell in items(dataSource: RxListViewArrayDataSource(cell: cell))(source) }
  }

  /// Shows the elements of a stream of arrays, each in a cell that was registered under `identifier`.
  public func items<Source: ObservableConvertibleType, Model: Sendable, Cell: ListCell>(
    cellIdentifier identifier: String, cellType: Cell.Type = ListCell.self
  )
    -> @MainActor (_ source: Source) ->
    @MainActor (_ configure: @escaping @MainActor (Int, Model, Cell) -> Void) -> any Disposable
  where Source.Element == [Model] {
    { source in
      { configure in
        items(source)({ (list: ListView, row: Int, model: Model) in
          let cell = list.dequeueReusableCell(withIdentifier: identifier)
          if let cell = cell as? Cell { configure(row, model, cell) }
          return cell
        })
      }
    }
  }

  /// Shows the elements of a stream with a data source, which is held until the binding ends.
  public func items<Source: ObservableConvertibleType, DataSource: RxListViewDataSourceType>(
    dataSource: DataSource
  ) -> @MainActor (_ source: Source) -> any Disposable where Source.Element == DataSource.Element {
    let list = base as ListView
    return { source in
      let installation = RxListViewDataSourceProxy.installForwardDelegate(
        dataSource, retainDelegate: true, onProxyForObject: list)
      let elements = source.asObservable().bindOnMain(with: list) { [weak dataSource] list, element in
        dataSource?.listView(list, observedElement: element)
      }
      return Disposables.create(elements, installation)
    }
  }
}

/// A data source that shows the elements of a stream (RxCocoa's `RxTableViewDataSourceType`).
@MainActor
public protocol RxListViewDataSourceType: ListViewDataSource, Sendable {
  /// The content of all rows.
  associatedtype Element: Sendable

  /// Stores the newest element, and reloads the list.
  func listView(_ listView: ListView, observedElement: Element)
}

/// The error of a request for the model of a row that does not exist, or before the list's items were bound (RxCocoa's
/// `RxCocoaError.itemsNotYetBound`).
public struct ItemsNotYetBound: Error, Hashable {
  /// The row.
  public let row: Int

  /// Creates the error for a row.
  public init(row: Int) { self.row = row }
}

/// A data source that has a model for each row.
@MainActor
public protocol ListViewModels: AnyObject {
  /// The model of a row; `nil` if there is no such row.
  func model(at row: Int) -> Any?
}

/// The data source behind `rx.items`: the newest array of a stream.
final class RxListViewArrayDataSource<Model: Sendable>: RxListViewDataSourceType, ListViewModels {
  private var models: [Model] = []
  private let cell: @MainActor (ListView, Int, Model) -> ListCell

  init(cell: @escaping @MainActor (ListView, Int, Model) -> ListCell) { self.cell = cell }

  func listView(_ listView: ListView, observedElement: [Model]) {
    models = observedElement
    listView.reloadData()
  }

  func numberOfRows(in listView: ListView) -> Int { models.count }

  func listView(_ listView: ListView, cellForRow row: Int) -> ListCell { cell(listView, row, models[row]) }

  func model(at row: Int) -> Any? { models.indices.contains(row) ? models[row] : nil }
}

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
  public init(listView: ListView) { super.init(parentObject: listView, delegateProxy: RxListViewDelegateProxy.self) }

  /// Registers this class for lists.
  public static func registerKnownImplementations() { register { RxListViewDelegateProxy(listView: $0) } }

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
  public init(listView: ListView) { super.init(parentObject: listView, delegateProxy: RxListViewDataSourceProxy.self) }

  /// Registers this class for lists.
  public static func registerKnownImplementations() { register { RxListViewDataSourceProxy(listView: $0) } }

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
