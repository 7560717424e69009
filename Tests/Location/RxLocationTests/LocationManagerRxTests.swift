import Dispatch
import LocationKit
import Rx
import RxBinding
import RxLocation
import TestSupport
import Testing

@MainActor @Suite(.inTurn) struct LocationManagerRxTests {
  private let rig = Rig()

  @Test func locationsArriveAsTheManagerDeliversThem() {
    let log = StreamLog(rig.manager.rx.didUpdateLocations.map { $0.map(\.coordinate.latitude) })
    rig.send(1)
    rig.manager.startUpdatingLocation()
    rig.send(2)
    rig.send(3)
    rig.manager.stopUpdatingLocation()
    rig.send(4)
    #expect(log.elements == [[2], [3]])
  }

  /// It compiles: the closures belong to the main actor, as those of the map's streams do.
  @Test func closuresMayUseWhatIsTheMainActors() {
    var (latest, count) = (0.0, 0)
    let bag = DisposeBag()
    rig.manager.rx.didUpdateLocations
      .filter { _ in latest < 2 }
      .subscribe(onNext: { locations in latest = locations[0].coordinate.latitude })
      .disposed(by: bag)
    rig.manager.rx.didUpdateLocations.bind { _ in count += 1 }.disposed(by: bag)
    rig.manager.startUpdatingLocation()
    for latitude in [1.0, 2, 3] { rig.send(latitude) }
    #expect((latest, count) == (2, 3))
  }

  /// The fix that shows a crossing may be one that the distance filter holds back.
  @Test func aCrossingCarriesTheLocationThatShowedIt() {
    let home = Region(center: LocationCoordinate2D(latitude: 0, longitude: 0), radius: 1000, identifier: "home")
    rig.manager.distanceFilter = 40_000_000
    var order: [String] = []
    let log = StreamLog(rig.manager.rx.didCrossRegion) {
      order.append("\($0.region.identifier) \($0.state) \($0.location.coordinate.latitude)")
    }
    let updates = StreamLog(rig.manager.rx.didUpdateLocations)
    rig.manager.startUpdatingLocation()
    rig.manager.startMonitoring(for: home)
    for latitude in [0.0, 1, 0.001] {
      for step in 0..<8 {
        rig.clock.advance(by: 5)
        rig.send(latitude + 1e-5 * Double(step))
      }
    }
    #expect(updates.elements.count == 1)
    #expect(order.count == 2, "\(order)")
    #expect(order.first?.hasPrefix("home outside 1.0") == true)
    #expect(order.last?.hasPrefix("home inside 0.001") == true)
    withExtendedLifetime(log) {}
  }

  @Test func theEndOfARecordingIsToldToLaterSubscribersToo() {
    let early = StreamLog(rig.manager.rx.didReachEndOfRecording.map { "ended" })
    rig.manager.startUpdatingLocation()
    #expect(early.elements == [])
    rig.source.send(.status(.finished))
    rig.source.send(.finished)
    let late = StreamLog(rig.manager.rx.didReachEndOfRecording.map { "ended" })
    #expect(early.elements == ["ended"])
    #expect(late.elements == ["ended"])
    #expect(late.completions == 1)
  }

  @Test func aDelegateBesidesTheStreamsIsNotKept() {
    weak var gone: Clerk?
    do {
      let clerk = Clerk()
      gone = clerk
      let subscription = rig.manager.rx.setDelegate(clerk)
      rig.manager.startUpdatingLocation()
      rig.send(1)
      #expect(!clerk.log.isEmpty)
      withExtendedLifetime(subscription) {}
    }
    #expect(gone == nil)
  }

  // MARK: rx.location

  @Test func theNewestOfSeveralLocationsCounts() {
    let location = StreamLog(rig.manager.rx.location.map { $0?.coordinate.latitude })
    let answer = StreamLog(rig.manager.rx.requestLocation().map { $0.coordinate.latitude })
    let locations = [Location(latitude: 1, longitude: 0), Location(latitude: 2, longitude: 0)]
    rig.manager.delegate?.locationManager(rig.manager, didUpdateLocations: locations)
    #expect(location.elements == [nil, 2])
    #expect(answer.elements == [2])
  }

  /// With the last one at the subscription, and not at the creation of the driver.
  @Test func locationBeginsWithTheLastOne() {
    rig.manager.startUpdatingLocation()
    let latitudes = (1...2).map { _ in rig.manager.rx.location.map { $0?.coordinate.latitude } }
    let first = StreamLog(latitudes[0])
    rig.send(1)
    let second = StreamLog(latitudes[1])
    rig.send(2)
    #expect(first.elements == [nil, 1, 2])
    #expect(second.elements == [1, 2])
  }

  @Test func aDriverOfLocationsMayBeSubscribedToOnAnyThread() async {
    rig.manager.startUpdatingLocation()
    rig.send(1)
    let location = rig.manager.rx.location
    let first = await Task.detached {
      await withCheckedContinuation { continuation in
        _ = location.asObservable().take(1).subscribe(onNext: { continuation.resume(returning: $0) })
      }
    }.value
    #expect(first?.coordinate.latitude == 1)
  }

  @Test func neitherLocationsNorARequestKeepTheManager() {
    var manager: LocationManager? = LocationManager(source: rig.source)
    weak let weakManager = manager
    let location = (manager?.rx.location).map { StreamLog($0) }
    let request = (manager?.rx.requestLocation()).map { StreamLog($0) }
    manager = nil
    #expect(weakManager == nil)
    #expect(location?.completions == 1)
    #expect(request?.errors.count == 1)
    if case .noElements? = request?.errors.first as? RxError {} else { Issue.record("\(request?.errors ?? [])") }
  }

  // MARK: requestLocation

  @Test(arguments: [nil, .seconds(3)] as [RxTimeInterval?])
  func aRequestSucceedsWithOneLocation(timeout: RxTimeInterval?) {
    let request = timeout.map { rig.manager.rx.requestLocation(timeout: $0) } ?? rig.manager.rx.requestLocation()
    let log = StreamLog(request.map { $0.coordinate.latitude })
    #expect(rig.source.isRunning)
    rig.send(5)
    rig.send(6)
    rig.clock.advance(by: 60)
    #expect(log.elements == [5])
    #expect(log.completions == 1 && log.errors.isEmpty)
    #expect(!rig.source.isRunning)
  }

  @Test func eachSubscriptionAsksAnew() {
    let request = rig.manager.rx.requestLocation().map { $0.coordinate.latitude }
    #expect(!rig.source.isRunning)
    let first = StreamLog(request)
    rig.send(1)
    let second = StreamLog(request)
    rig.send(2)
    #expect(first.elements == [1])
    #expect(second.elements == [2])
  }

  @Test func aRequestThatNobodyWaitsForObservesNothing() {
    let log = StreamLog(rig.manager.rx.requestLocation())
    #expect(rig.manager.rx.delegate.isObserved(.didUpdateLocations))
    log.dispose()
    #expect(!rig.manager.rx.delegate.isObserved(.didUpdateLocations))
  }

  @Test func aRequestFailsWithTheManagersError() {
    let log = StreamLog(rig.manager.rx.requestLocation())
    rig.clock.advance(by: 11)
    #expect(log.errors.compactMap { ($0 as? LocationError)?.code } == [.locationUnknown])
    #expect(!rig.source.isRunning)
  }

  @Test func aRequestTimesOutInTheTimeOfTheSource() {
    let log = StreamLog(rig.manager.rx.requestLocation(timeout: .seconds(3)))
    rig.clock.advance(by: 2.9)
    #expect(log.errors.isEmpty)
    rig.clock.advance(by: 0.2)
    #expect(log.errors.count == 1)
    if case .timeout? = log.errors.first as? RxError {} else { Issue.record("not a time-out: \(log.errors)") }
    rig.send(1)
    #expect(log.elements.isEmpty)
  }

  @Test func anErrorOfTheCompassIsNoneOfTheRequests() {
    rig.manager.staleAfter = 5
    rig.manager.startUpdatingHeading()
    rig.clock.advance(by: 4)
    let log = StreamLog(rig.manager.rx.requestLocation())
    let failures = StreamLog(rig.manager.rx.didFailWithError)
    rig.clock.advance(by: 2)
    #expect(failures.elements.map(\.code) == [.headingFailure])
    #expect(log.errors.isEmpty)
    rig.send(1)
    #expect(log.elements.count == 1)
  }
}
