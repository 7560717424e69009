import Rx
import RxBinding

extension ListView: ReactiveCompatible {}

final class RxListViewDelegateProxy: DelegateProxy<ListView, any ListViewDelegate>, DelegateProxyType, ListViewDelegate
{
  weak var forwarded: (any ListViewDelegate)?

  init(listView: ListView) {
    super.init(parentObject: listView, delegateProxy: RxListViewDelegateProxy.self)
  }

  static func registerKnownImplementations() {
    register { RxListViewDelegateProxy(listView: $0) }
  }

  func listView(_ listView: ListView, shouldSelectRow row: Int) -> Bool {
    invoke(.shouldSelectRow, row, default: true) { $0.listView(listView, shouldSelectRow: row) }
  }

  func listView(_ listView: ListView, didSelectRow row: Int) {
    invoke(.didSelectRow, row) { $0.listView(listView, didSelectRow: row) }
  }

  func listView(_ listView: ListView, didDeleteRow row: Int) {
    invoke(.didDeleteRow, row) { $0.listView(listView, didDeleteRow: row) }
  }
}

extension DelegateMethod where Delegate == any ListViewDelegate, Arguments == Int {
  static var shouldSelectRow: Self { Self() }
  static var didSelectRow: Self { Self() }
  static var didDeleteRow: Self { Self() }
}

final class RxListViewDataSourceProxy:
  DelegateProxy<ListView, any ListViewDataSource>, DelegateProxyType, ListViewDataSource
{
  weak var forwarded: (any ListViewDataSource)?

  init(listView: ListView) {
    super.init(parentObject: listView, delegateProxy: RxListViewDataSourceProxy.self)
  }

  static func registerKnownImplementations() {
    register { RxListViewDataSourceProxy(listView: $0) }
  }

  func numberOfRows(in listView: ListView) -> Int {
    invoke(.numberOfRows, 0, default: 0) { $0.numberOfRows(in: listView) }
  }

  func listView(_ listView: ListView, cellForRow row: Int) -> ListCell {
    invoke(.cellForRow, row, default: ListCell()) { $0.listView(listView, cellForRow: row) }
  }
}

extension DelegateMethod where Delegate == any ListViewDataSource, Arguments == Int {
  static var numberOfRows: Self { Self() }
  static var cellForRow: Self { Self() }
}

/// Knows the model of a row.
@MainActor
protocol ModelDataSource: AnyObject {
  func model(at row: Int) -> Any?
}

/// The data source behind `rx.items`: the newest array of a stream.
final class ArrayDataSource<Model: Sendable>: ListViewDataSource, ModelDataSource {
  var models: [Model] = []
  private let cell: (ListView, Int, Model) -> ListCell

  init(cell: @escaping (ListView, Int, Model) -> ListCell) {
    self.cell = cell
  }

  func numberOfRows(in listView: ListView) -> Int { models.count }

  func listView(_ listView: ListView, cellForRow row: Int) -> ListCell { cell(listView, row, models[row]) }

  func model(at row: Int) -> Any? { models.indices.contains(row) ? models[row] : nil }
}

@MainActor
extension Reactive where Base == ListView {
  /// Shows the elements of a stream of arrays, each in the cell that `cell` makes. A function that `bind(to:)` takes.
  func items<Source: ObservableConvertibleType, Model: Sendable>(
    _ source: Source
  ) -> @MainActor (_ cell: @escaping @MainActor (ListView, Int, Model) -> ListCell) -> any Disposable
  where Source.Element == [Model] {
    let list = base
    return { cell in
      let dataSource = ArrayDataSource(cell: cell)
      let installation = RxListViewDataSourceProxy.installForwardDelegate(
        dataSource, retainDelegate: true, onProxyForObject: list)
      let models = source.asObservable().bindOnMain(with: list) { [weak dataSource] list, models in
        dataSource?.models = models
        list.reloadData()
      }
      return Disposables.create(models, installation)
    }
  }

  /// Shows the elements of a stream of arrays, each in a cell that was registered under `identifier`.
  func items<Source: ObservableConvertibleType, Model: Sendable, Cell: ListCell>(
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
}

@MainActor
extension Reactive where Base == ListView {
  var delegate: DelegateProxy<ListView, any ListViewDelegate> { RxListViewDelegateProxy.proxy(for: base) }
  var dataSource: DelegateProxy<ListView, any ListViewDataSource> { RxListViewDataSourceProxy.proxy(for: base) }

  func setDelegate(_ delegate: any ListViewDelegate) -> any Disposable {
    RxListViewDelegateProxy.installForwardDelegate(delegate, retainDelegate: false, onProxyForObject: base)
  }

  var itemSelected: ControlEvent<Int> { ControlEvent(events: delegate.methodInvoked(.didSelectRow)) }
  var itemDeleted: ControlEvent<Int> { ControlEvent(events: delegate.methodInvoked(.didDeleteRow)) }

  /// The models of the rows that the user selects, of a list that is bound to a stream of them.
  func modelSelected<Model: Sendable>(_ type: Model.Type) -> ControlEvent<Model> {
    let models = itemSelected.compactMap { [weak list = base] row in
      (list?.rx.dataSource.forwardToDelegate() as? any ModelDataSource)?.model(at: row) as? Model
    }
    return ControlEvent(events: models)
  }
}
