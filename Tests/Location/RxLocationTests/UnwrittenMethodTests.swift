import HeadlessMap
import LocationKit
import Rx
import RxBinding
import RxLocation
import TestSupport
import Testing

/// A user's own proxy of a map, which does not write every method, loses no call. `LocationManagerDelegateProxyTests` tests
/// the same for a manager.
@MainActor @Suite(.inTurn) struct UnwrittenMethodTests {
  @Test func aMapsDelegateHasCallsThatTheProxyDoesNotWrite() throws {
    let map = Chart()
    let reader = MapReader()
    var log: [String] = []
    reader.onCall = { log.append($0) }
    map.delegate = reader
    let proxy: any MapViewDelegate = RxChartDelegateProxy.proxy(for: map)
    #expect(map.delegate === proxy)
    let point = PointAnnotation()
    proxy.mapView(map, regionWillChangeAnimated: true)
    proxy.mapViewDidChangeVisibleRegion(map)
    proxy.mapView(map, regionDidChangeAnimated: false)
    proxy.mapView(map, didUpdate: map.userLocation)
    proxy.mapView(map, didChange: .follow, animated: true)
    proxy.mapView(map, didAdd: [point] as [any Annotation])
    proxy.mapView(map, didRemove: [point] as [any Annotation])
    proxy.mapView(map, didAdd: [] as [any Overlay])
    proxy.mapView(map, didRemove: [] as [any Overlay])
    proxy.mapView(map, didSelect: point)
    proxy.mapView(map, didDeselect: point)
    #expect(
      log == [
        "will true", "visible", "did false", "user -1.0 false", "follow true", "annotations +1", "annotations -1",
        "overlays +0", "overlays -0", "select", "deselect",
      ])
  }
}

private final class Chart: MapView {}

private final class RxChartDelegateProxy:
  DelegateProxy<MapView, any MapViewDelegate>, DelegateProxyType, MapViewDelegate
{
  weak var forwarded: (any MapViewDelegate)?

  init(chart: Chart) { super.init(parentObject: chart, delegateProxy: RxChartDelegateProxy.self) }

  static func registerKnownImplementations() { register { RxChartDelegateProxy(chart: $0) } }
}

/// Tells in words what it is called with.
final class MapReader: MapViewDelegate {
  var onCall: @MainActor (String) -> Void = { _ in }

  func mapView(_ mapView: MapView, regionWillChangeAnimated animated: Bool) { onCall("will \(animated)") }
  func mapView(_ mapView: MapView, regionDidChangeAnimated animated: Bool) { onCall("did \(animated)") }
  func mapViewDidChangeVisibleRegion(_ mapView: MapView) { onCall("visible") }
  func mapView(_ mapView: MapView, didUpdate userLocation: UserLocation) {
    onCall("user \(userLocation.location?.coordinate.latitude ?? -1) \(userLocation.isUpdating)")
  }
  func mapView(_ mapView: MapView, didChange mode: UserTrackingMode, animated: Bool) { onCall("\(mode) \(animated)") }
  func mapView(_ mapView: MapView, didAdd annotations: [any Annotation]) { onCall("annotations +\(annotations.count)") }
  func mapView(_ mapView: MapView, didRemove annotations: [any Annotation]) {
    onCall("annotations -\(annotations.count)")
  }
  func mapView(_ mapView: MapView, didAdd overlays: [any Overlay]) { onCall("overlays +\(overlays.count)") }
  func mapView(_ mapView: MapView, didRemove overlays: [any Overlay]) { onCall("overlays -\(overlays.count)") }
  func mapView(_ mapView: MapView, didSelect annotation: any Annotation) { onCall("select") }
  func mapView(_ mapView: MapView, didDeselect annotation: any Annotation) { onCall("deselect") }
}
