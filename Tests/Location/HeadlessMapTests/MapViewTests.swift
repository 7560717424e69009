import HeadlessMap
import LocationKit
import TestSupport
import Testing

@MainActor @Suite(.inTurn) struct MapViewTests {
  final class Delegate: MapViewDelegate {
    var calls: [String] = []

    func mapView(_ mapView: MapView, regionWillChangeAnimated animated: Bool) {
      calls.append("will \(animated) \(mapView.region.center.latitude)")
    }
    func mapViewDidChangeVisibleRegion(_ mapView: MapView) { calls.append("visible \(mapView.region.center.latitude)") }
    func mapView(_ mapView: MapView, regionDidChangeAnimated animated: Bool) {
      calls.append("did \(animated) \(mapView.region.center.latitude)")
    }
  }

  let mapView = MapView()
  let delegate = Delegate()

  init() { mapView.delegate = delegate }

  private func coordinate(_ latitude: Double, _ longitude: Double) -> LocationCoordinate2D {
    LocationCoordinate2D(latitude: latitude, longitude: longitude)
  }
  private func region(_ latitude: Double, _ longitude: Double) -> CoordinateRegion {
    CoordinateRegion(center: coordinate(latitude, longitude), latitudinalMeters: 1000, longitudinalMeters: 2000)
  }

  @Test func tellsTheDelegateInOrder() {
    mapView.setRegion(region(1, 2), animated: true)
    #expect(mapView.region == region(1, 2))
    mapView.region = region(3, 4)
    mapView.centerCoordinate = coordinate(5, 6)
    mapView.setCenter(coordinate(7, 8), animated: true)
    #expect(
      delegate.calls == [
        "will true 0.0", "visible 1.0", "did true 1.0", "will false 1.0", "visible 3.0", "did false 3.0",
        "will false 3.0", "visible 5.0", "did false 5.0", "will true 5.0", "visible 7.0", "did true 7.0",
      ])
  }

  @Test func centerKeepsTheSpan() {
    mapView.region = region(51.5, 0)
    let span = mapView.region.span
    for center in [coordinate(0, 179.9999), coordinate(0, -180), coordinate(90, 0), coordinate(-89.99, 12)] {
      mapView.setCenter(center, animated: false)
      #expect(mapView.region == CoordinateRegion(center: center, span: span))
      #expect(mapView.region.isValid)
    }
  }

  @Test func ignoresWhatIsNotOnTheEarth() {
    mapView.region = region(1, 2)
    delegate.calls = []
    let good = mapView.region
    for center in [coordinate(.nan, 0), coordinate(0, .infinity), coordinate(90.1, 0), coordinate(0, -180.5)] {
      mapView.setCenter(center, animated: true)
      mapView.centerCoordinate = center
      mapView.setRegion(CoordinateRegion(center: center, span: good.span), animated: true)
    }
    for delta in [Double.nan, .infinity, -1, 400] {
      mapView.region = CoordinateRegion(
        center: good.center, span: CoordinateSpan(latitudeDelta: delta, longitudeDelta: 1))
      mapView.region = CoordinateRegion(
        center: good.center, span: CoordinateSpan(latitudeDelta: 1, longitudeDelta: delta))
    }
    #expect(mapView.region == good)
    #expect(delegate.calls.isEmpty)
  }

  @Test func worksWithoutADelegateAndWithASilentOne() {
    final class Silent: MapViewDelegate {}
    mapView.delegate = nil
    mapView.region = region(1, 2)
    let silent = Silent()
    mapView.delegate = silent
    mapView.region = region(3, 4)
    #expect(mapView.region == region(3, 4))
    #expect(delegate.calls.isEmpty)
  }

  @Test func delegateIsWeakAndItsReplacementIsNoticed() {
    final class Observer: DelegateObserver {
      var count = 0
      func delegateDidChange() { count += 1 }
    }
    let observer = Observer()
    mapView.delegateObserver = observer
    do {
      let other = Delegate()
      mapView.delegate = other
    }
    #expect(mapView.delegate == nil)
    #expect(observer.count == 1)
  }

  @Test func subclassesSeeEveryChange() {
    final class Counting: MapView {
      var count = 0
      override func setRegion(_ region: CoordinateRegion, animated: Bool) {
        count += 1
        super.setRegion(region, animated: animated)
      }
    }
    let counting = Counting()
    counting.region = region(1, 2)
    counting.centerCoordinate = coordinate(3, 4)
    counting.setCenter(coordinate(5, 6), animated: true)
    #expect(counting.count == 3)
  }
}
