// The fourth tutorial: locations in the centre of a map, by a delegate proxy that this program writes itself. RxLocation has the
// same; a program with RxLocation has only the first class, and a map with a binder `center`.

import HeadlessMap
import LocationKit
import Rx
import RxBinding

final class DelegateProxyController {
  let bag = DisposeBag()
  let mapView = MapView()
  let locationManager: LocationManager

  init(_ locationManager: LocationManager) {
    self.locationManager = locationManager
  }

  func viewDidLoad() {
    locationManager.requestWhenInUseAuthorization()
    locationManager.startUpdatingLocation()
    locationManager.rx.didUpdateLocation
      .subscribe(onNext: { locations in
        print(locations)
      })
      .disposed(by: bag)
    locationManager.rx.didUpdateLocation
      .map { $0[0] }
      .bind(to: mapView.rx.center)
      .disposed(by: bag)
  }
}

extension MapView: @retroactive ReactiveCompatible {}

extension Reactive where Base: MapView {
  var center: Binder<Location> {
    return Binder(self.base) { mapView, location in
      let region = CoordinateRegion(
        center: location.coordinate, latitudinalMeters: 10000, longitudinalMeters: 10000)
      self.base.setRegion(region, animated: true)
    }
  }
}

extension LocationManager: @retroactive HasDelegate, @retroactive ReactiveCompatible {
  /// The delegate's type.
  public typealias Delegate = any LocationManagerDelegate
}

class RxLocationManagerDelegateProxy:
  DelegateProxy<LocationManager, any LocationManagerDelegate>, DelegateProxyType, LocationManagerDelegate
{
  weak var forwarded: (any LocationManagerDelegate)?
  weak private(set) var locationManager: LocationManager?

  init(locationManager: LocationManager) {
    self.locationManager = locationManager
    super.init(parentObject: locationManager, delegateProxy: RxLocationManagerDelegateProxy.self)
  }

  static func registerKnownImplementations() {
    self.register {
      RxLocationManagerDelegateProxy(locationManager: $0)
    }
  }

  func locationManager(_ manager: LocationManager, didUpdateLocations locations: [Location]) {
    invoke(.didUpdateLocations, (manager, locations)) { $0.locationManager(manager, didUpdateLocations: locations) }
  }
}

extension DelegateMethod
where Delegate == any LocationManagerDelegate, Arguments == (manager: LocationManager, locations: [Location]) {
  static var didUpdateLocations: Self { Self() }
}

extension Reactive where Base: LocationManager {
  var delegate: DelegateProxy<LocationManager, any LocationManagerDelegate> {
    return RxLocationManagerDelegateProxy.proxy(for: base)
  }

  var didUpdateLocation: Observable<[Location]> {
    return delegate.methodInvoked(.didUpdateLocations)
      .map { parameters in
        return parameters.locations
      }
  }
}

let source = SimulatedLocationSource(clock: VirtualClock())
let controller = DelegateProxyController(LocationManager(source: source))
controller.viewDidLoad()
source.send(.location(Location(latitude: 37.785834, longitude: -122.406417)))
print(controller.mapView.centerCoordinate)
