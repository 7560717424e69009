import HeadlessMap
import LocationKit
import Rx
import RxBinding
import RxLocation
import Testing

/// A user's own proxy of a manager or a map, which does not write every method, loses no call.
@MainActor
@Suite struct UnwrittenMethodTests {
  @Test func aManagersDelegateHasCallsThatTheProxyDoesNotWrite() throws {
    let manager = Wayfinder(source: SimulatedLocationSource(clock: VirtualClock()))
    let clerk = Clerk()
    manager.delegate = clerk
    let log = StreamLog(RxWayfinderDelegateProxy.proxy(for: manager).methodInvoked(.didUpdateLocations))
    let proxy = try #require(manager.delegate)
    #expect(proxy is RxWayfinderDelegateProxy)
    clerk.displaysCalibration = true
    proxy.locationManager(manager, didUpdateLocations: [Location(latitude: 9, longitude: 0)])
    proxy.locationManager(manager, didFailWithError: LocationError(.network, "gone"))
    #expect(proxy.locationManagerShouldDisplayHeadingCalibration(manager))
    #expect(
      clerk.log == ["didUpdateLocations [9.0]", "didFailWithError network", "shouldDisplayHeadingCalibration"])
    #expect(log.elements.count == 1)

    manager.delegate = nil
    #expect(!proxy.locationManagerShouldDisplayHeadingCalibration(manager))
  }

  @Test func aMapsDelegateHasCallsThatTheProxyDoesNotWrite() throws {
    let map = Chart()
    let reader = MapReader()
    map.delegate = reader
    let proxy: any MapViewDelegate = RxChartDelegateProxy.proxy(for: map)
    #expect(map.delegate === proxy)
    proxy.mapView(map, regionWillChangeAnimated: true)
    proxy.mapViewDidChangeVisibleRegion(map)
    proxy.mapView(map, regionDidChangeAnimated: false)
    proxy.mapView(map, didUpdate: map.userLocation)
    proxy.mapView(map, didChange: .follow, animated: true)
    proxy.mapView(map, didAdd: [] as [any Annotation])
    proxy.mapView(map, didRemove: [] as [any Annotation])
    proxy.mapView(map, didAdd: [] as [any Overlay])
    proxy.mapView(map, didRemove: [] as [any Overlay])
    #expect(
      reader.log == [
        "will true", "visible", "did false", "user", "mode follow true", "annotations", "no annotations", "overlays",
        "no overlays",
      ])
  }
}

private final class Wayfinder: LocationManager {}

private final class RxWayfinderDelegateProxy:
  DelegateProxy<LocationManager, any LocationManagerDelegate>, DelegateProxyType, LocationManagerDelegate
{
  weak var forwarded: (any LocationManagerDelegate)?

  init(wayfinder: Wayfinder) {
    super.init(parentObject: wayfinder, delegateProxy: RxWayfinderDelegateProxy.self)
  }

  static func registerKnownImplementations() {
    register { RxWayfinderDelegateProxy(wayfinder: $0) }
  }

  func locationManager(_ manager: LocationManager, didUpdateLocations locations: [Location]) {
    invoke(.didUpdateLocations, (manager, locations)) { $0.locationManager(manager, didUpdateLocations: locations) }
  }
}

private final class Chart: MapView {}

private final class RxChartDelegateProxy:
  DelegateProxy<MapView, any MapViewDelegate>, DelegateProxyType, MapViewDelegate
{
  weak var forwarded: (any MapViewDelegate)?

  init(chart: Chart) {
    super.init(parentObject: chart, delegateProxy: RxChartDelegateProxy.self)
  }

  static func registerKnownImplementations() {
    register { RxChartDelegateProxy(chart: $0) }
  }
}

private final class MapReader: MapViewDelegate {
  var log: [String] = []

  func mapView(_ mapView: MapView, regionWillChangeAnimated animated: Bool) { log.append("will \(animated)") }
  func mapView(_ mapView: MapView, regionDidChangeAnimated animated: Bool) { log.append("did \(animated)") }
  func mapViewDidChangeVisibleRegion(_ mapView: MapView) { log.append("visible") }
  func mapView(_ mapView: MapView, didUpdate userLocation: UserLocation) { log.append("user") }
  func mapView(_ mapView: MapView, didChange mode: UserTrackingMode, animated: Bool) {
    log.append("mode \(mode) \(animated)")
  }
  func mapView(_ mapView: MapView, didAdd annotations: [any Annotation]) { log.append("annotations") }
  func mapView(_ mapView: MapView, didRemove annotations: [any Annotation]) { log.append("no annotations") }
  func mapView(_ mapView: MapView, didAdd overlays: [any Overlay]) { log.append("overlays") }
  func mapView(_ mapView: MapView, didRemove overlays: [any Overlay]) { log.append("no overlays") }
}
