import LocationKit
import Rx
import RxBinding
import RxBlocking
import RxLocation
import RxTest
import Testing

@testable import TripComputer

/// A point `metres` east of a place on the equator.
private func location(_ metres: Double, speed: Double? = nil) -> Location {
  Location(coordinate: LocationCoordinate2D(latitude: 0, longitude: metres / 111_319.49), speed: speed)
}

@MainActor
@Suite struct TripComputerTests {
  @Test func figuresChangeEveryFiveSeconds() {
    let scheduler = TestScheduler(initialClock: 0)
    let locations = scheduler.createHotObservable([
      .next(210, location(0)), .next(211, location(100)), .next(212, location(200)), .next(220, location(300)),
    ])
    let model = TripViewModel(scheduler: scheduler)
    let result = scheduler.start {
      model.transform(
        TripViewModel.Input(locations: locations.asObservable(), crossings: .empty(), reset: .empty())
      ).distance.asObservable()
    }
    #expect(result.events == [.next(210, "0 m"), .next(215, "200 m"), .next(220, "300 m")])
  }

  @Test func aResetBeginsANewTrip() throws {
    let changes = Observable<Change>.of(.moved(location(0)), .moved(location(100)), .reset, .moved(location(250)))
    let trips = try TripViewModel.trips(changes).toBlocking().toArray()
    #expect(trips.map { $0.metres.rounded() } == [0, 100, 0, 150])
  }

  @Test func theClockIsTheSources() {
    let clock = VirtualClock()
    let source = SimulatedLocationSource(clock: clock)
    let manager = LocationManager(source: source)
    let bag = DisposeBag()
    var speeds: [String] = []
    output(of: manager).speed.drive(onNext: { speeds.append($0) }).disposed(by: bag)
    manager.startUpdatingLocation()
    source.send(.location(location(0, speed: 10)))
    source.send(.location(location(10, speed: 20)))
    #expect(speeds == ["36 km/h"])
    clock.advance(by: 5)
    #expect(speeds == ["36 km/h", "72 km/h"])
  }

  @Test func fencesAreNews() async {
    let clock = VirtualClock()
    let source = SimulatedLocationSource(clock: clock)
    let manager = LocationManager(source: source)
    let home = Region(center: location(0).coordinate, radius: 50, identifier: "home")
    manager.startMonitoring(for: home)
    manager.startUpdatingLocation()
    let news = output(of: manager).news.values
    // One fix beyond the boundary may be an outlier, so a crossing takes several.
    for metres in [0.0, 200, 200, 200, 200, 0, 0, 0, 0] {
      clock.advance(by: 30)
      source.send(.location(location(metres)))
    }
    var heard: [String] = []
    for await text in news.prefix(2) { heard.append(text) }
    #expect(heard == ["left home", "entered home"])
  }

  private func output(of manager: LocationManager) -> TripViewModel.Output {
    TripViewModel(scheduler: manager.rx.clock).transform(
      TripViewModel.Input(
        locations: manager.rx.didUpdateLocations.compactMap { $0.last }.asObservable(),
        crossings: manager.rx.didCrossRegion.asObservable(), reset: .empty()))
  }
}
