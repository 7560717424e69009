public import Rx
public import RxBinding
public import TerminalKit

@MainActor
extension Reactive where Base: ListView {
  /// The list's delegate proxy.
  public var delegate: DelegateProxy<ListView, any ListViewDelegate> { RxListViewDelegateProxy.proxy(for: base) }

  /// The list's data source proxy.
  public var dataSource: DelegateProxy<ListView, any ListViewDataSource> { RxListViewDataSourceProxy.proxy(for: base) }

  /// Has a delegate called besides the streams, until the result is disposed. It is held weakly.
  public func setDelegate(_ delegate: any ListViewDelegate) -> any Disposable {
    RxListViewDelegateProxy.installForwardDelegate(delegate, retainDelegate: false, onProxyForObject: base)
  }

  // MARK: What the user does

  /// Rows that the user chooses.
  public var itemSelected: ControlEvent<Int> { ControlEvent(events: delegate.methodInvoked(.didSelectRow)) }

  /// Rows that the user deletes.
  public var itemDeleted: ControlEvent<Int> { ControlEvent(events: delegate.methodInvoked(.didDeleteRow)) }

  /// The models of the rows that the user chooses, of a list that is bound by `items`. A model of another type is a
  /// programmer's fault and traps.
  public func modelSelected<Model: Sendable>(_ type: Model.Type) -> ControlEvent<Model> {
    models(of: itemSelected)
  }

  /// The models of the rows that the user deletes, as they are at that moment, of a list that is bound by `items`. A model of
  /// another type is a programmer's fault and traps.
  public func modelDeleted<Model: Sendable>(_ type: Model.Type) -> ControlEvent<Model> {
    models(of: itemDeleted)
  }

  private func models<Model: Sendable>(of rows: ControlEvent<Int>) -> ControlEvent<Model> {
    ControlEvent(
      events: rows.compactMap { [weak list = base as ListView] row -> Model? in
        guard let list else { return nil }
        return try? list.rx.model(at: row) as Model
      })
  }

  /// What a row shows, of a list that is bound by `items`. A model of another type is a programmer's fault and traps.
  ///
  /// - Throws: `ItemsNotYetBound` when the list is not bound, or has no such row.
  public func model<Model>(at row: Int) throws(ItemsNotYetBound) -> Model {
    let source = dataSource.forwardToDelegate() as? any ListViewModels
    guard let value = source?.model(at: row) else { throw ItemsNotYetBound(row: row) }
    guard let model = value as? Model else {
      fatalError("Row \(row) shows a \(type(of: value)), not a \(Model.self): name the type that `items` is bound with")
    }
    return model
  }

  // MARK: Rows

  /// Shows the elements of a stream of arrays, each in the cell that a closure makes. A function that `bind(to:)` and
  /// `drive(_:)` take.
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
    @MainActor (
      _ configure: @escaping @MainActor (Int, Model, Cell) -> Void
    ) -> any Disposable
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

  /// Shows what a data source makes of the elements of a stream. The data source is held until the binding ends.
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
  /// What it shows, all rows at once.
  associatedtype Element: Sendable

  /// Takes the newest element, and has the list show it.
  func listView(_ listView: ListView, observedElement: Element)
}

/// A list was asked for the model of a row that it does not have, or before its items were bound (RxCocoa's
/// `RxCocoaError.itemsNotYetBound`).
public struct ItemsNotYetBound: Error, Hashable {
  /// The row.
  public let row: Int

  /// Creates the error for a row.
  public init(row: Int) {
    self.row = row
  }
}

/// A data source that knows what its rows show.
@MainActor
public protocol ListViewModels: AnyObject {
  /// What a row shows; `nil` when there is no such row.
  func model(at row: Int) -> Any?
}

/// The data source behind `rx.items`: the newest array of a stream.
final class RxListViewArrayDataSource<Model: Sendable>: RxListViewDataSourceType, ListViewModels {
  private var models: [Model] = []
  private let cell: @MainActor (ListView, Int, Model) -> ListCell

  init(cell: @escaping @MainActor (ListView, Int, Model) -> ListCell) {
    self.cell = cell
  }

  func listView(_ listView: ListView, observedElement: [Model]) {
    models = observedElement
    listView.reloadData()
  }

  func numberOfRows(in listView: ListView) -> Int { models.count }

  func listView(_ listView: ListView, cellForRow row: Int) -> ListCell { cell(listView, row, models[row]) }

  func model(at row: Int) -> Any? { models.indices.contains(row) ? models[row] : nil }
}
