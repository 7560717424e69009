import Rx
import RxBinding
import RxTerminal
import RxTestSupport
import TerminalKit
import Testing

/// The fifth tutorial, lines 9 to 110: a list bound to a stream, whose delegate and data source are proxied.
@MainActor @Suite(.inTurn) struct ListBindingTests {
  private struct Product: Equatable {
    let name: String
    let price: Int
  }

  private final class PriceCell: ListCell {
    var price: String?
  }

  private let list = ListView.tall()
  private let bag = DisposeBag()
  private let products = [
    Product(name: "compass", price: 12), Product(name: "sextant", price: 340), Product(name: "chart", price: 7),
  ]

  /// Lines 10 to 18.
  @Test func itemsMakeTheirOwnCells() {
    Observable.just(products.map(\.name))
      .bind(to: list.rx.items) { list, row, name in
        let cell = list.dequeueReusableCell(withIdentifier: "plain")
        cell.text = "\(row) \(name)"
        return cell
      }
      .disposed(by: bag)
    #expect(list.visibleCells.map(\.text) == ["0 compass", "1 sextant", "2 chart"])
  }

  /// Lines 24 to 39.
  @Test func itemsOfARegisteredCell() {
    list.register(PriceCell.self, forCellReuseIdentifier: "price")
    Observable.just(products)
      .bind(to: list.rx.items(cellIdentifier: "price", cellType: PriceCell.self)) { _, product, cell in
        cell.text = product.name
        cell.price = "\(product.price) €"
      }
      .disposed(by: bag)
    #expect(list.visibleCells.compactMap { ($0 as? PriceCell)?.price } == ["12 €", "340 €", "7 €"])
  }

  /// The first tutorial, lines 258 to 294: a delegate of one's own, and the same by `itemSelected`.
  @Test func aSelectionComesByTheDelegateAndAsASequence() {
    final class Controller: ListViewDelegate {
      let list: ListView
      let items = ["compass", "sextant", "chart"]
      var shown: [String] = []
      private let bag = DisposeBag()

      init(_ list: ListView) {
        self.list = list
        list.delegate = self
        list.rx.itemSelected
          .subscribe(onNext: { [weak self] row in
            guard let item = self?.items[row] else { return }
            self?.shown.append("sequence: \(item)")
            self?.list.deselectRow(row)
          })
          .disposed(by: bag)
      }

      func listView(_ listView: ListView, didSelectRow row: Int) {
        shown.append("delegate: \(items[row])")
      }
    }
    bindProducts()
    let controller = Controller(list)
    list.select(1)
    #expect(controller.shown == ["delegate: sextant", "sequence: sextant"])
    #expect(list.selectedRow == nil)
  }

  @Test func theSelectedRowIsAControlEvent() {
    bindProducts()
    let log = Recorder<Int>()
    // The fifth tutorial, lines 47 to 52.
    list.rx.itemSelected.asDriver()
      .drive { [weak list] in
        list?.deselectRow($0)
        log.record($0)
      }
      .disposed(by: bag)
    list.select(2)
    #expect(log.values == [2])
    #expect(list.selectedRow == nil)
  }

  @Test func theSelectedModelIsAControlEvent() {
    bindProducts()
    let log = Recorder<Product>()
    // Lines 73 to 75.
    list.rx.modelSelected(Product.self)
      .bind { log.record($0) }
      .disposed(by: bag)
    list.select(1)
    list.select(0)
    #expect(log.values.map(\.name) == ["sextant", "compass"])
  }

  @Test func modelAndRowAreZipped() {
    bindProducts()
    let log = Recorder<String>()
    // Lines 85 to 91.
    Observable.zip(list.rx.modelSelected(Product.self), list.rx.itemSelected)
      .bind { [weak list] product, row in
        log.record("\(row) \(product.name)")
        list?.deselectRow(row)
      }
      .disposed(by: bag)
    list.select(2)
    list.select(0)
    #expect(log.values == ["2 chart", "0 compass"])
    #expect(list.selectedRow == nil)
  }

  /// Lines 102 to 109.
  @Test func aDelegateOfTheUsersIsSetBesides() {
    final class Shopkeeper: ListViewDelegate {
      var selected: [Int] = []

      func listView(_ listView: ListView, shouldSelectRow row: Int) -> Bool { row != 1 }
      func listView(_ listView: ListView, didSelectRow row: Int) { selected.append(row) }
    }
    bindProducts()
    let keeper = Shopkeeper()
    let log = Recorder<String>()
    list.rx.setDelegate(keeper).disposed(by: bag)
    list.rx.modelSelected(Product.self).bind(onNext: { log.record($0.name) }).disposed(by: bag)
    for row in 0..<3 { list.select(row) }
    #expect(keeper.selected == [0, 2])
    #expect(log.values == ["compass", "chart"])
  }

  private func bindProducts() {
    Observable.just(products)
      .bind(to: list.rx.items(cellIdentifier: "plain")) { _, product, cell in cell.text = product.name }
      .disposed(by: bag)
  }
}
