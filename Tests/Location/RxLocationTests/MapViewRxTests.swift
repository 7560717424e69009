import FoundationEssentials
import HeadlessMap
import LocationKit
import Rx
import RxBinding
import RxLocation
import TestSupport
import Testing

@MainActor @Suite(.inTurn) struct MapViewRxTests {
  private let map = MapView()

  private func region(_ latitude: Double, span: Double = 1) -> CoordinateRegion {
    CoordinateRegion(
      center: LocationCoordinate2D(latitude: latitude, longitude: 0),
      span: CoordinateSpan(latitudeDelta: span, longitudeDelta: span))
  }

  @Test func aLocationIsMovedToTheMiddleOfTenKilometres() {
    let log = StreamLog(map.rx.delegate.methodInvoked(.regionDidChange).map { $0.animated })
    map.rx.center.onNext(Location(latitude: 51.5, longitude: -0.12))
    let expected = CoordinateRegion(
      center: LocationCoordinate2D(latitude: 51.5, longitude: -0.12), latitudinalMeters: 10_000,
      longitudinalMeters: 10_000)
    #expect(map.region == expected && log.elements == [true])
  }

  @Test func aRegionCarriesTheTimeOfTheLocationThatItFollows() {
    let log = StreamLog(map.rx.timedRegionDidChange.map(\.timestamp))
    let times = [1.0, 2, nil].map { $0.map(Date.init(timeIntervalSince1970:)) }
    let locations = times.map { time in
      Location(coordinate: LocationCoordinate2D(latitude: 1, longitude: 2), timestamp: time)
    }
    map.rx.center.onNext(locations[0])
    map.rx.center.onNext(locations[2])
    map.userTrackingMode = .follow
    map.updateUserLocation(locations[1])
    // Somebody else has set this one.
    map.region = region(5)
    #expect(log.elements == [times[0], nil, times[1], nil])
    #expect(map.regionTimestamp == nil)
  }

  @Test func theHeightAndWidthMayBeOthers() {
    map.rx.center(latitudinalMeters: 1000, longitudinalMeters: 2000).onNext(Location(latitude: 51.5, longitude: 0))
    #expect(abs(map.region.span.latitudeDelta - 0.0089881) < 1e-6)
    #expect(abs(map.region.span.longitudeDelta - 2 * 0.0144008) < 1e-6)
  }

  @Test func aBinderDoesNotKeepTheMapAndTheRegionCompletesWhenItGoes() {
    var map: MapView? = MapView()
    weak let weakMap = map
    let (center, region) = (map?.rx.center, map?.rx.region)
    let log = region.map { StreamLog($0) }
    map = nil
    #expect(weakMap == nil)
    #expect(log?.completions == 1)
    center?.onNext(Location(latitude: 1, longitude: 1))
    region?.onNext(self.region(1))
  }

  @Test func aRegionCanBeReadAndSet() {
    let log = StreamLog(map.rx.region)
    map.rx.region.onNext(region(1))
    map.region = region(2)
    map.region = region(2)
    #expect(log.elements == [.world, region(1), region(2)])
  }

  @Test func aRegionMayBeBoundBothWays() {
    let relay = BehaviorRelay(value: region(5))
    let bag = DisposeBag()
    relay.bind(to: map.rx.region).disposed(by: bag)
    map.rx.region.bind(to: relay).disposed(by: bag)
    #expect(map.region == region(5))
    map.region = region(6)
    #expect(relay.value == region(6))
    relay.accept(region(7))
    #expect(map.region == region(7))
    #expect(relay.value == region(7))
  }
}
