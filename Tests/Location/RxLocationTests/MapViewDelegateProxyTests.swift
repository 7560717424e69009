// RxMacrosTests has this file, too, with proxies that the macro writes; without the macro it is empty there.
#if Macros || !BY_MACRO
  import Foundation
  import HeadlessMap
  import LocationKit
  import Rx
  import RxBinding
  import TestSupport
  import Testing

  #if BY_MACRO
    import RxMacros
  #else
    import RxLocation
  #endif

  /// The map's proxy forwards and observes what concerns the region; `MapContentRxTests` has the rest.
  @MainActor @Suite(.inTurn) struct MapViewDelegateProxyTests {
    private let map = TestedMap()

    private func region(_ latitude: Double, span: Double = 1) -> CoordinateRegion {
      CoordinateRegion(
        center: LocationCoordinate2D(latitude: latitude, longitude: 0),
        span: CoordinateSpan(latitudeDelta: span, longitudeDelta: span))
    }

    @Test func everyMethodIsForwardedAndObservedInOrder() {
      let clerk = MapClerk()
      map.delegate = clerk
      var order: [String] = []
      clerk.onCall = { order.append($0) }
      let logs = [
        StreamLog(map.rx.regionWillChange) { order.append("rx will \($0.center.latitude)") },
        StreamLog(map.rx.didChangeVisibleRegion) { order.append("rx visible \($0.center.latitude)") },
        StreamLog(map.rx.regionDidChange) { order.append("rx did \($0.center.latitude)") },
      ]
      map.setRegion(region(3), animated: true)
      #expect(order == ["will true", "rx will 0.0", "visible", "rx visible 3.0", "did true", "rx did 3.0"])
      withExtendedLifetime(logs) {}
    }

    @Test func whetherAChangeIsAnimatedIsKnown() {
      let log = StreamLog(map.rx.delegate.methodInvoked(.regionDidChange).map { $0.animated })
      map.setRegion(region(1), animated: true)
      map.setRegion(region(2), animated: false)
      #expect(log.elements == [true, false])
    }

    @Test func aDelegateMayBeSetBesides() {
      let clerk = MapClerk()
      let log = StreamLog(map.rx.regionDidChange)
      let installation = map.rx.setDelegate(clerk)
      map.region = region(1)
      installation.dispose()
      map.region = region(2)
      #expect(clerk.calls == 3)
      #expect(log.elements.count == 2)
    }

    @Test func streamsCompleteWhenTheMapGoes() {
      var map: TestedMap? = TestedMap()
      weak let weakMap = map
      let change = (map?.rx.regionDidChange).map { StreamLog($0) }
      map = nil
      #expect(weakMap == nil)
      #expect(change?.completions == 1)
    }
  }

  private final class MapClerk: MapViewDelegate {
    var calls = 0
    var onCall: (@MainActor (String) -> Void)?

    func mapView(_ mapView: MapView, regionWillChangeAnimated animated: Bool) { note("will \(animated)") }
    func mapView(_ mapView: MapView, regionDidChangeAnimated animated: Bool) { note("did \(animated)") }
    func mapViewDidChangeVisibleRegion(_ mapView: MapView) { note("visible") }

    private func note(_ call: String) {
      calls += 1
      onCall?(call)
    }
  }
#endif
