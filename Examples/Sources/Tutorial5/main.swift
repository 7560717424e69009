// The fifth tutorial: lists, alerts and notifications.

import Foundation
import Rx
import RxBinding
import RxFoundation
import RxTerminal
import TerminalKit

nonisolated struct Product: Sendable {
  let name: String
  let price: Int
}

let appleProducts = [Product(name: "compass", price: 12), Product(name: "sextant", price: 340)]

final class ProductCell: ListCell {
  let priceLabel = Label()
}

nonisolated enum ActionType: Sendable {
  case ok
  case cancel
}

final class PatternsController: ListViewDelegate {
  let nameList = ListView()
  let listTableView = ListView()
  let alertButton = Button(title: "Alert")
  let screen: Screen
  let bag = DisposeBag()
  private(set) var inset = 0.0

  init() {
    screen = Screen(root: StackView(axis: .vertical, [(nameList, .fixed(2)), (listTableView, .fixed(2))]))
    screen.size = Size(width: 30, height: 8)
    listTableView.register(ProductCell.self, forCellReuseIdentifier: "productCell")
  }

  func bindLists() {
    let nameObservable = Observable.of(appleProducts.map { $0.name })
    let productObservable = Observable.of(appleProducts)

    nameObservable.bind(to: nameList.rx.items) { tableView, row, element in
      let cell = tableView.dequeueReusableCell(withIdentifier: "standardCell")
      cell.text = element
      return cell
    }
    .disposed(by: bag)

    productObservable.bind(to: listTableView.rx.items(cellIdentifier: "productCell", cellType: ProductCell.self)) {
      row, element, cell in
      cell.text = element.name
      cell.priceLabel.text = "\(element.price) €"
    }
    .disposed(by: bag)

    nameList.rx.itemSelected.asDriver()
      .drive { [weak self] in
        self?.nameList.deselectRow($0)
        print(appleProducts[$0].name)
      }
      .disposed(by: bag)

    Observable.zip(listTableView.rx.modelSelected(Product.self), listTableView.rx.itemSelected)
      .bind { [weak self] product, row in
        print(product.name)
        self?.listTableView.deselectRow(row)
      }
      .disposed(by: bag)

    listTableView.rx.setDelegate(self)
      .disposed(by: bag)
  }

  func listView(_ listView: ListView, didSelectRow row: Int) {
    print("SELECTED")
  }

  func info(title: String, message: String? = nil) -> Observable<ActionType> {
    return Observable<ActionType>.createOnMain { [weak self] observer in
      let alert = Alert(title: title, message: message)

      let okAction = AlertAction(title: "OK", style: .default) {
        observer.onNext(.ok)
        observer.onCompleted()
      }

      alert.addAction(okAction)

      self?.screen.present(alert)
      return Disposables.createOnMain {
        alert.dismiss()
      }
    }
  }

  func bindAlert() {
    alertButton.rx.tap
      .flatMap { [unowned self] in
        self.info(title: "Colour", message: "red")
      }
      .subscribe(onNext: { [weak self] actionType in
        switch actionType {
        case .ok:
          print("OK, \(self?.screen.alerts.count ?? 0) alerts")
        default:
          break
        }
      })
      .disposed(by: bag)
  }

  func bindNotifications() {
    let willShowNotification = NotificationCenter.default.rx.notification(Notification.Name("keyboardWillShow"))
      .map { ($0.userInfo?["height"] as? Double) ?? 0 }

    let willHideNotification = NotificationCenter.default.rx.notification(Notification.Name("keyboardWillHide"))
      .map { notification -> Double in 0 }

    // Notifications come on any thread, so what touches `self` is a driver's.
    Observable.merge(willShowNotification, willHideNotification)
      .asDriver(onErrorJustReturn: 0)
      .map { [unowned self] height -> Double in
        var inset = self.inset
        inset = height
        return inset
      }
      .drive(onNext: { [weak self] inset in
        self?.inset = inset
        print("inset \(inset)")
      })
      .disposed(by: bag)
  }
}

let controller = PatternsController()
controller.bindLists()
controller.bindAlert()
controller.bindNotifications()
_ = controller.screen.render()
controller.nameList.select(1)
controller.listTableView.select(0)
controller.alertButton.tap()
controller.screen.press(.enter)
NotificationCenter.default.post(name: Notification.Name("keyboardWillShow"), object: nil, userInfo: ["height": 216.0])
NotificationCenter.default.post(name: Notification.Name("keyboardWillHide"), object: nil)
