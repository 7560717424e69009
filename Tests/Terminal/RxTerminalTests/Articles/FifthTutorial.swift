import Rx
import RxBinding
import RxTerminal
import TerminalKit

struct Product: Sendable, Equatable {
  let name: String
  let summary: String
  let price: Int
}

/// A custom cell.
final class ProductCell: ListCell {
  let priceLabel = Label(style: .color(.green))

  required init() {
    super.init()
    priceLabel.isRightAligned = true
    addSubview(priceLabel)
  }

  override func layoutSubviews() {
    priceLabel.frame = Rect(x: frame.width - 8, y: 0, width: 8, height: 1)
  }
}

@MainActor
final class ShopController {
  enum ActionType: Sendable {
    case ok, cancel
  }

  let list = ListView()
  let basketLabel = Label(text: "nothing bought")
  let screen: Screen
  private let bag = DisposeBag()

  init(_ products: Observable<[Product]>) {
    screen = Screen(root: StackView(axis: .vertical, [(list, .fill), (basketLabel, .fixed(1))]))
    list.register(ProductCell.self, forCellReuseIdentifier: "productCell")
    products
      .bind(to: list.rx.items(cellIdentifier: "productCell", cellType: ProductCell.self)) { _, product, cell in
        cell.text = product.name
        cell.priceLabel.text = "\(product.price) €"
      }
      .disposed(by: bag)

    // The model and its row, without access to the array.
    Observable.zip(list.rx.modelSelected(Product.self), list.rx.itemSelected)
      .bind { [weak self] _, row in self?.list.deselectRow(row) }
      .disposed(by: bag)

    // A dialog as a sequence: flatMap shows it, its answer comes through.
    list.rx.modelSelected(Product.self)
      .flatMapFirst { [unowned self] product in
        info(title: "Buy?", message: product.summary).map { ($0, product) }
      }
      .filter { $0.0 == .ok }
      .scan(0) { total, purchase in total + purchase.1.price }
      .map { "\($0) € to pay" }
      .bind(to: basketLabel.rx.text)
      .disposed(by: bag)
  }

  func info(title: String, message: String) -> Observable<ActionType> {
    Alert.present(
      title: title, message: message,
      choices: [AlertChoice("OK", .ok), AlertChoice("Cancel", style: .cancel, .cancel)], on: screen)
  }
}
