import HeadlessMap
import LocationKit
import Rx
import RxBinding
import RxLocation
import Testing

/// A user's own proxy of a map, which does not write every method, loses no call. `LocationManagerDelegateProxyTests` tests
/// the same for a manager.
@MainActor
@Suite struct UnwrittenMethodTests {
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
