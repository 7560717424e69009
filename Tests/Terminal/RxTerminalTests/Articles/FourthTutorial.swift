import LocationKit
import Rx
import RxBinding
import RxLocation
import RxTerminal
import TerminalKit

@MainActor
extension Reactive where Base: Label {
  /// Shows a location.
  var location: Binder<Location> {
    Binder(base) { label, location in label.text = "\(location.coordinate)" }
  }
}

/// The position of the receiver. The manager's delegate is a proxy, so no delegate has to be written.
@MainActor
final class WhereController {
  let placeLabel = Label(text: "no fix yet", style: .bold)
  let speedBar = ProgressBar()
  let errorLabel = Label(style: .color(.red))
  let screen: Screen
  private let bag = DisposeBag()

  init(_ locationManager: LocationManager) {
    screen = Screen(
      root: StackView(axis: .vertical, [(placeLabel, .fixed(1)), (speedBar, .fixed(1)), (errorLabel, .fixed(1))]))
    locationManager.rx.didUpdateLocations
      .map { $0[0] }
      .bind(to: placeLabel.rx.location)
      .disposed(by: bag)
    locationManager.rx.didUpdateLocations
      .map { locations in locations[0].speed.map { $0 / 40 } }
      .bind(to: speedBar.rx.value)
      .disposed(by: bag)
    locationManager.rx.didFailWithError
      .map(\.message)
      .bind(to: errorLabel.rx.text)
      .disposed(by: bag)
  }
}
