// swift-format-ignore-file
// What a user writes by mistake is refused, with the way out. Scripts/check-samples compiles this file.
import HeadlessMap
import LocationKit
import Rx
import RxBinding

@MainActor protocol PumpDelegate: AnyObject {
  func pump(_ pump: Pump, didFill litres: Int)
  func isFull(_ pump: Pump) -> Bool
  func level(_ pump: Pump) throws -> Int
  func rate(_ pump: Pump) async -> Int
}

@MainActor final class Pump: DelegateProxyHolder, HasDelegate, ReactiveCompatible {
  let delegateProxies = DelegateProxies()
  weak var delegate: (any PumpDelegate)?
}

extension DelegateMethod where Delegate == any PumpDelegate, Arguments == (pump: Pump, litres: Int) {
  static var didFill: Self { Self() }
}

extension DelegateMethod where Delegate == any PumpDelegate, Arguments == Pump {
  static var ask: Self { Self() }
}

final class RxPumpDelegateProxy: DelegateProxy<Pump, any PumpDelegate>, DelegateProxyType, PumpDelegate {
  weak var forwarded: (any PumpDelegate)?
  init(pump: Pump) { super.init(parentObject: pump, delegateProxy: RxPumpDelegateProxy.self) }
  static func registerKnownImplementations() { register { RxPumpDelegateProxy(pump: $0) } }

  func pump(_ pump: Pump, didFill litres: Int) { invoke(.didFill, (pump, litres)) { $0.pump(pump, didFill: litres) } }
  func isFull(_ pump: Pump) -> Bool { invoke(.ask, pump, default: false) { $0.isFull(pump) } }
  func level(_ pump: Pump) throws -> Int { try invoke(.ask, pump, default: 0) { try $0.level(pump) } }
  func rate(_ pump: Pump) async -> Int { await invoke(.ask, pump, default: 0) { await $0.rate(pump) } }

  // A default of a wrong type, or none where one is needed.
  func a(_ pump: Pump) -> Bool { invoke(.ask, pump, default: 0) { $0.isFull(pump) } }  // ✗ is unavailable: the default is not of the type that the method returns
  func b(_ pump: Pump) -> Bool { invoke(.ask, pump, default: 0) { _ in true } }  // ✗ is unavailable: the default is not of the type that the method returns
  func c(_ pump: Pump) throws -> Int { try invoke(.ask, pump, default: "") { try $0.level(pump) } }  // ✗ is unavailable: the default is not of the type that the method returns
  func d(_ p: Pump) async -> Int { await invoke(.ask, p, default: "") { await $0.rate(p) } }  // ✗ is unavailable: the default is not of the type that the method returns
  func e(_ pump: Pump) -> Bool { invoke(.ask, pump) { $0.isFull(pump) } }  // ✗ is unavailable: a method that returns a value needs 'default:', the answer without a delegate
  func f(_ pump: Pump) throws -> Int { try invoke(.ask, pump) { try $0.level(pump) } }  // ✗ is unavailable: a method that returns a value needs 'default:', the answer without a delegate
  func g(_ pump: Pump) async -> Int { await invoke(.ask, pump) { await $0.rate(pump) } }  // ✗ is unavailable: a method that returns a value needs 'default:', the answer without a delegate
}

@MainActor extension Reactive where Base == Pump {
  var delegate: DelegateProxy<Pump, any PumpDelegate> { RxPumpDelegateProxy.proxy(for: base) }
}

// A key that does not exist is one error, at the key, that names it, whatever is done with the stream.
@MainActor func use(_ pump: Pump, _ proxy: RxPumpDelegateProxy, _ relay: PublishRelay<Int>) {
  _ = pump.rx.delegate.methodInvoked(.didFill).map { $0.litres }.bind(to: relay)
  _ = pump.rx.delegate.methodInvoked(.didFil)  // ✗ has no member 'didFil'
  _ = pump.rx.delegate.sentMessage(.didFil).subscribe(onNext: { print($0) })  // ✗ has no member 'didFil'
  _ = pump.rx.delegate.methodInvoked(.didFil).map { $0.litres }  // ✗ has no member 'didFil'
  _ = pump.rx.delegate.methodInvoked(.didFil).map { _ in }.subscribe()  // ✗ has no member 'didFil'
  _ = pump.rx.delegate.methodInvoked(.didFil).map { ($0.litres, $0.pump) }  // ✗ has no member 'didFil'
  _ = pump.rx.delegate.methodInvoked(.didFil).map { $0.litres }.bind(to: relay)  // ✗ has no member 'didFil'
  let litres: Observable<Int> = proxy.methodInvoked(.didFil).map { $0.litres }  // ✗ has no member 'didFil'
  _ = litres
  _ = proxy.methodInvoked(.didFil).map { $0.litres + 1 }.asDriver(onErrorJustReturn: 0).drive(onNext: { print($0) })  // ✗ has no member 'didFil'
  _ = ControlEvent(events: proxy.methodInvoked(.didFil).map { _ in })  // ✗ has no member 'didFil'
  _ = pump.rx.delegate.isObserved(.didFil)  // ✗ has no member 'didFil'
}

// A method of Core Location's or MapKit's spelling that nobody would call names the right one.
final class Silent: LocationManagerDelegate, MapViewDelegate {}

final class Listener: LocationManagerDelegate, MapViewDelegate {
  func locationManager(_ manager: LocationManager, didFailWithError error: LocationError) {}
  func locationManager(
    _ manager: LocationManager, monitoringDidFailFor region: CircularRegion?, withError error: LocationError) {}
  func locationManagerDidChangeAuthorization(_ manager: LocationManager) {}
  func mapView(_ mapView: MapView, regionDidChangeAnimated animated: Bool) {}
}

final class A: LocationManagerDelegate { func locationManager(_: LocationManager, didFailWithError: any Error) {} }  // ✗ write locationManager(_:didFailWithError error: LocationError)
final class B: LocationManagerDelegate { func locationManager(_: LocationManager, monitoringDidFailFor: CircularRegion?, withError: any Error) {} }  // ✗ write locationManager(_:monitoringDidFailFor:withError error: LocationError)
final class C: LocationManagerDelegate { func locationManager(_: LocationManager, didChangeAuthorization: AuthorizationStatus) {} }  // ✗ write locationManagerDidChangeAuthorization(_:)
final class D: MapViewDelegate { func mapViewDidFinishLoadingMap(_: MapView) {} }  // ✗ write mapView(_:regionDidChangeAnimated:)
final class E: MapViewDelegate { func mapViewDidFinishRenderingMap(_: MapView, fullyRendered: Bool) {} }  // ✗ write mapView(_:regionDidChangeAnimated:)

// What this map does not have names what it has.
@MainActor func use(_ mapView: MapView) {
  mapView.userTrackingMode = .followWithHeading  // ✗ use follow, and turn what you draw by the heading
  _ = mapView.visibleMapRect  // ✗ use region, and setRegion(_:animated:)
  mapView.setVisibleMapRect(mapView.region, animated: true)  // ✗ use setRegion(_:animated:)
  _ = LocationCoordinate2DMake(1, 2)  // ✗ LocationCoordinate2D.init(latitude:longitude:)
}
