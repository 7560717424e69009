import HeadlessMap
import LocationKit
import Rx
import RxBinding
import RxLocation
import RxTestSupport
import Testing

/// The fourth tutorial, lines 56 to 89: the first location of each update moves the map. They are printed, too, as in the
/// second, lines 301 to 314; the key is RxLocation's, as in the first, lines 410 to 421.
@MainActor @Suite(.inTurn) struct LocationTests {
  @Test func theFirstLocationIsBoundToTheMapsCentre() {
    let bag = DisposeBag()
    let source = SimulatedLocationSource(clock: VirtualClock())
    let locationManager = LocationManager(source: source)
    let mapView = MapView()
    let printed = Recorder<Int>()

    locationManager.requestWhenInUseAuthorization()
    locationManager.startUpdatingLocation()
    locationManager.rx.didUpdateLocations
      .subscribe(onNext: { printed.record($0.count) })
      .disposed(by: bag)
    locationManager.rx.didUpdateLocations.map { $0[0] }.bind(to: mapView.rx.center).disposed(by: bag)

    source.send(.location(Location(latitude: 37.785834, longitude: -122.406417)))
    #expect(printed.values == [1])
    #expect(mapView.centerCoordinate == LocationCoordinate2D(latitude: 37.785834, longitude: -122.406417))
    #expect(abs(mapView.region.span.latitudeDelta - 0.09) < 0.0002)
  }
}
