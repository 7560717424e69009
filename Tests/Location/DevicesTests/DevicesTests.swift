import Devices
import Foundation
import LocationKit
import Rx
import RxBinding
import RxLocation
import Testing

/// Many devices, each with a manager of its own, in the time of a clock that the test moves.
@MainActor
struct DevicesTests {
  private let clock = VirtualClock()
  private let start = Date(timeIntervalSince1970: 1_750_000_000)
  private let devices: Devices
  private let bag = DisposeBag()

  init() {
    let (clock, start) = (clock, start)
    devices = Devices(clock: clock) { start + clock.now }
    devices.staleAfter = 60
  }

  /// A location of `device`, `seconds` after the start.
  private func location(_ device: String, _ seconds: Double, latitude: Double = 48) -> Location {
    Location(
      coordinate: LocationCoordinate2D(latitude: latitude, longitude: 11), horizontalAccuracy: 5,
      timestamp: start + seconds, sourceInformation: LocationSourceInformation(deviceIdentifier: device))
  }

  @Test func aDeviceAppearsWithItsFirstMessageAndOnlyThen() {
    var (appeared, updates): ([String], [String]) = ([], [])
    devices.rx.didAppear.subscribe(onNext: { appeared.append($0.identifier) }).disposed(by: bag)
    devices.rx.didAppear
      .flatMap { $0.rx.didUpdateLocations }
      .subscribe(onNext: { updates += $0.compactMap(\.sourceInformation?.deviceIdentifier) })
      .disposed(by: bag)
    devices.rx.didAppear.subscribe(onNext: { $0.startUpdatingLocation() }).disposed(by: bag)
    devices.receive(location("ann/car", 0))
    devices.receive(location("ben/boat", 0))
    devices.receive(location("ann/car", 1))
    #expect(appeared == ["ann/car", "ben/boat"])
    #expect(updates == ["ann/car", "ben/boat", "ann/car"])
  }

  @Test func whatIsLateOrComesTwiceDoesNotMoveTheNewestBack() throws {
    devices.rx.didAppear.subscribe(onNext: { $0.startUpdatingLocation() }).disposed(by: bag)
    devices.receive(location("ann/car", 10, latitude: 48.1))
    devices.receive(location("ann/car", 5, latitude: 48.2))
    devices.receive(location("ann/car", 10, latitude: 48.1))
    let device = try #require(devices.all["ann/car"])
    #expect(device.location?.coordinate.latitude == 48.1)
    #expect(devices.lateCount == 2)
    // Another fix of the same second is a fix.
    devices.receive(location("ann/car", 10, latitude: 48.3))
    #expect(device.location?.coordinate.latitude == 48.3)
  }

  @Test func eachDeviceBecomesStaleByItself() {
    var losses: [String] = []
    devices.rx.didAppear.subscribe(onNext: { $0.startUpdatingLocation() }).disposed(by: bag)
    devices.rx.didAppear
      .flatMap { $0.rx.didFailWithError }
      .subscribe(onNext: { losses.append("\($0.deviceIdentifier ?? "none"): \($0.message)") })
      .disposed(by: bag)
    devices.receive(location("ann/car", 0))
    clock.advance(to: 40)
    devices.receive(location("ben/boat", 40))
    clock.advance(to: 65)
    #expect(losses == ["ann/car: no fix for 60.0 s"])
    clock.advance(to: 110)
    #expect(losses.count == 2)
  }

  @Test func eachFixPutsOffTheLoss() {
    var losses = 0
    devices.rx.didAppear.subscribe(onNext: { $0.startUpdatingLocation() }).disposed(by: bag)
    devices.rx.didAppear
      .flatMap { $0.rx.didFailWithError }
      .subscribe(onNext: { _ in losses += 1 })
      .disposed(by: bag)
    for second in stride(from: 0.0, through: 200, by: 50) {
      clock.advance(to: second)
      devices.receive(location("ann/car", second))
    }
    clock.advance(to: 255)
    #expect(losses == 0)
    clock.advance(to: 265)
    #expect(losses == 1)
  }

  @Test func aFixWithoutALimitIsNeverLost() {
    devices.rx.didAppear.subscribe(onNext: { $0.startUpdatingLocation() }).disposed(by: bag)
    devices.staleAfter = .greatestFiniteMagnitude
    devices.receive(location("ann/car", 0))
    clock.advance(to: 1e9)
    #expect(devices.all["ann/car"]?.fixState.loss == nil)
  }

  @Test func aFixThatIsOldWhenItComesIsStaleAtOnce() throws {
    devices.rx.didAppear.subscribe(onNext: { $0.startUpdatingLocation() }).disposed(by: bag)
    clock.advance(to: 1000)
    devices.receive(location("ann/car", 0))
    let device = try #require(devices.all["ann/car"])
    #expect(device.isLocationStale)
    clock.advance(by: 2)
    #expect(device.fixState.loss?.reason == .silence)
  }

  @Test func theDwellOfAFenceIsCountedByTheDevicesClock() {
    var crossings: [String] = []
    let home = CircularRegion(
      center: LocationCoordinate2D(latitude: 48, longitude: 11), radius: 200, identifier: "home")
    devices.rx.didAppear
      .subscribe(onNext: { device in
        device.startUpdatingLocation()
        device.startMonitoring(for: home)
      })
      .disposed(by: bag)
    devices.rx.didAppear
      .flatMap { $0.rx.didCrossRegion }
      .subscribe(onNext: { crossings.append("\($0.location.sourceInformation?.deviceIdentifier ?? "") \($0.state)") })
      .disposed(by: bag)
    // All come at once, as after an hour without a network.
    clock.advance(to: 3600)
    for second in stride(from: 0.0, through: 60, by: 5) {
      devices.receive(location("ann/car", second, latitude: second < 20 ? 48 : 48.1))
      devices.receive(location("ben/boat", second))
    }
    #expect(crossings == ["ann/car outside"])
  }

  @Test func whatHasNoDeviceOrNoTimeIsNone() {
    var nobody = location("", 0)
    nobody.sourceInformation = nil
    devices.receive(nobody)
    var timeless = location("ann/car", 0)
    timeless.timestamp = nil
    devices.receive(timeless)
    devices.receive(location("ann/car", 0, latitude: 91))
    #expect(devices.all.isEmpty)
  }

  @Test func aDevicesOwnCrossingPassesThrough() {
    var crossings: [RegionCrossing] = []
    devices.rx.didReceiveCrossing.subscribe(onNext: { crossings.append($0) }).disposed(by: bag)
    let place = location("ann/phone", 0)
    let own = RegionCrossing(
      CircularRegion(center: place.coordinate, radius: 0, identifier: "work"), .inside, at: place, isReported: true)
    devices.receive(own)
    #expect(crossings == [own])
  }
}
