import LocationKit
import Rx
import RxBinding
import RxTest
import TerminalKit
import TestSupport
import Testing

@testable import Monitor

@MainActor @Suite(.inTurn) struct FixViewModelTests {
  private let scheduler = TestScheduler(initialClock: 0)
  private let bag = DisposeBag()
  private let locations = PublishSubject<Location>()
  private let states = PublishSubject<FixState>()
  private let end = PublishSubject<Void>()

  private func output(staleAfter: Double = 3, units: MeasurementUnits = .metric) -> FixViewModel.Output {
    FixViewModel(staleAfter: staleAfter, units: units, scheduler: scheduler).transform(
      input: .init(location: locations.asObservable(), fixState: states.asObservable(), end: end.asObservable()))
  }

  private func texts(_ reading: Driver<Reading>) -> TestableObserver<String?> {
    let observer = scheduler.createObserver(String?.self)
    reading.map(\.text).drive(observer).disposed(by: bag)
    return observer
  }

  /// What a row shows of a location.
  private func reading(_ row: FixRow, of location: Location, units: MeasurementUnits = .metric) -> Reading? {
    let readings = output(units: units)[row].recorded(in: bag)
    locations.onNext(location)
    return readings.values.last
  }

  @Test func aFixIsShownAndItsLossSaidInColour() {
    let output = output()
    let (fixes, latitudes) = (output[.fix].recorded(in: bag), output[.latitude].recorded(in: bag))
    locations.onNext(fix())
    states.onNext(.lost(FixLoss(.receiver, location: fix())))
    locations.onNext(fix(60))
    states.onNext(.lost(FixLoss(.silence, location: fix(60))))
    states.onNext(.lost(FixLoss(.source, location: fix(60))))
    states.onNext(.lost(FixLoss(.silence)))
    #expect(
      fixes.values.map(\.text) == [
        "no fix yet", "3D, 9 sats", "no fix since 12:00:00", "3D, 9 sats", "silent since 12:01:00",
        "lost since 12:01:00", "silent",
      ])
    #expect(fixes.values.map(\.style.color) == [.yellow, .green, .red, .green, .red, .red, .red])
    // What was known last stays to be seen, dim.
    let latitude = "37.500000°"
    #expect(latitudes.values.map(\.text) == ["–", latitude, latitude, latitude, latitude, "–"])
    #expect(latitudes.values.map(\.style.isDim) == [true, false, true, false, true, true])
  }

  @Test func aDoubtfulFixIsYellow() {
    var doubtful = fix()
    doubtful.doubts = .speed
    let shown = reading(.fix, of: doubtful)
    #expect((shown?.text, shown?.style.color) == ("3D in doubt, 9 sats", .yellow))
  }

  @Test func ageCountsUntilTheFixIsLost() {
    let ages = texts(output(staleAfter: 3)[.age])
    scheduler.scheduleAt(10) { locations.onNext(fix()) }
    scheduler.scheduleAt(12) { locations.onNext(fix(2)) }
    scheduler.scheduleAt(17) { states.onNext(.lost(FixLoss(.silence))) }
    scheduler.scheduleAt(20) { locations.onNext(fix(10)) }
    scheduler.scheduleAt(22) { end.onNext(()) }
    scheduler.start()
    #expect(
      ages.events.map { "\($0.time) \($0.value.element.flatMap { $0 } ?? "end")" } == [
        "0 –", "10 0 s", "11 1 s", "12 0 s", "13 1 s", "14 2 s", "15 3 s", "17 –", "20 0 s", "21 1 s", "22 –", "22 end",
      ])
  }

  /// A monitor without data sleeps: nothing is scheduled once the fix is stale or the recording has ended.
  @Test func nothingCountsWithoutAFix() {
    let ages = texts(output(staleAfter: 3)[.age])
    scheduler.scheduleAt(10) { locations.onNext(fix()) }
    scheduler.start()
    // A timer that went on would have kept the scheduler from coming to its end.
    #expect(scheduler.clock == 14)
    #expect(ages.events.count == 5)
  }

  @Test func whatTheReceiverDoesNotKnowIsADash() {
    for (row, text) in [
      (FixRow.altitude, "10.3 m"), (.speed, "43.2 km/h"), (.course, "46.0° NE"), (.accuracy, "5.0 m"),
      (.time, "2027-01-15 12:00:00Z"),
    ] {
      #expect(reading(row, of: Location(latitude: 1, longitude: 2))?.text == "–")
      #expect(reading(row, of: fix())?.text == text)
    }
  }

  @Test func howLongThereIsAFixIsShown() {
    let since = output()[.since].recorded(in: bag)
    locations.onNext(fix())
    locations.onNext(fix(75))
    states.onNext(.lost(FixLoss(.receiver, location: fix(75))))
    locations.onNext(fix(90))
    #expect(since.values.map(\.text) == ["–", "12:00:00, 0 s", "12:00:00, 1 min 15 s", "–", "12:01:30, 0 s"])
  }

  /// A row of a location, and its text. Two heights have room beside each other, and a climb of nothing has no sign.
  nonisolated private static let values:
    [(row: FixRow, units: MeasurementUnits, text: String, change: @Sendable (inout Location) -> Void)] = [
      (.altitude, .metric, "10.3 m", { _ in }), (.altitude, .imperial, "33.6 ft", { _ in }),
      (.altitude, .metric, "8848.5 m, HAE 8743.3 m", { ($0.altitude, $0.ellipsoidalAltitude) = (8848.5, 8743.3) }),
      (
        .altitude, .imperial, "39370.1 ft, HAE 39024.9 ft",
        { ($0.altitude, $0.ellipsoidalAltitude) = (12_000, 11_894.8) }
      ),
      (.speed, .metric, "43.2 km/h", { _ in }), (.speed, .imperial, "26.8 mph", { _ in }),
      (.speed, .nautical, "23.3 kn", { _ in }),
      (.accuracy, .nautical, "0.014 m", { $0.horizontalAccuracy = 0.014 }),
      (.accuracy, .imperial, "0.046 ft", { $0.horizontalAccuracy = 0.014 }),
      (.climb, .metric, "0.0 m/s", { $0.climb = 0 }), (.climb, .metric, "0.0 m/s", { $0.climb = -0.04 }),
      (.climb, .metric, "+0.1 m/s", { $0.climb = 0.05 }), (.climb, .metric, "-0.1 m/s", { $0.climb = -0.06 }),
      (.climb, .metric, "+12.0 m/s", { $0.climb = 12 }), (.climb, .imperial, "-1.6 ft/s", { $0.climb = -0.5 }),
      (.correction, .metric, "2.0 s old, station 123", { $0.quality = GNSSQuality(dgpsAge: 2, dgpsStation: 123) }),
      (.fix, .metric, "3D, RTK fixed, 9 sats", { $0.quality = GNSSQuality(status: .rtkFixed) }),
      (.fix, .metric, "3D, 9 sats", { $0.quality = GNSSQuality(geoidSeparation: 47) }),
      (.dilution, .metric, "–", { $0.quality = GNSSQuality(geoidSeparation: 47) }),
      (
        .dilution, .metric, "H 0.63  P 1.20  T 0.71  G 1.39",
        { $0.quality = GNSSQuality(hdop: 0.63, pdop: 1.2, tdop: 0.71, gdop: 1.39) }
      ),
      (.grid, .metric, "JN58td25", { $0.coordinate = LocationCoordinate2D(latitude: 48.14666, longitude: 11.60833) }),
    ]

  @Test(arguments: values.indices) func valuesAreShownInTheirUnits(index: Int) {
    let value = Self.values[index]
    var location = fix()
    value.change(&location)
    #expect(reading(value.row, of: location, units: value.units)?.text == value.text)
  }

  @Test func allMembersOfAFixAreInItsDetails() {
    var location = fix()
    location.climb = -0.5
    location.quality = GNSSQuality(hdop: 0.9, dgpsAge: 2)
    location.sourceInformation = LocationSourceInformation(device: "/dev/ttyUSB0", isHeld: true)
    let lines = Details.text(of: location).split(separator: "\n")
    for line in [
      "latitude            37.50000000°", "altitude            10.25 m", "speed               12.00 m/s",
      "climb               -0.50 m/s", "hdop                0.90", "dgpsAge             2.00 s",
      "mode                3",
      "source              /dev/ttyUSB0", "simulated           no", "held                yes",
    ] { #expect(lines.contains { $0 == line }, "\(line) of \(lines)") }
  }

  /// The first are examples of the locator's own definition; the others are where the squares end.
  @Test(arguments: [
    (48.14666, 11.60833, "JN58td25"), (-34.91, -56.21166, "GF15vc41"), (90, 180, "RR99xx99"), (-90, -180, "AA00aa00"),
    (91, 0, ""), (.nan, 0, ""),
  ]) func aGridLocatorHasEightCharacters(latitude: Double, longitude: Double, locator: String) {
    #expect(LocationCoordinate2D(latitude: latitude, longitude: longitude).gridLocator == locator)
  }

  @Test(arguments: [
    (0.0, 11, "··+··N··+··"), (90, 11, "··+··E··+··"), (352, 11, "W··+··N··+·"), (191.8, 12, "··+··S··+··W"),
    (45, 3, "·+·"), (45, 0, ""), (.infinity, 9, ""),
  ]) func theCompassHasTheCourseInTheMiddle(course: Double, width: Int, text: String) {
    #expect(ReadingRow.compass(course, width: width) == text)
  }

  @Test(arguments: [(0.5, 1), (1, 1), (10, 0.5), (100, 0), (5_000, 0)])
  func theBarOfTheAccuracyGoesByOrdersOfMagnitude(metres: Double, share: Double) {
    var location = fix()
    location.horizontalAccuracy = metres
    guard case .share(let shown) = reading(.accuracy, of: location)?.gauge else {
      Issue.record("there is no bar")
      return
    }
    #expect(abs(shown - share) < 0.01)
  }

  @Test(arguments: [(0, "N"), (22, "N"), (23, "NE"), (180, "S"), (337, "NW"), (338, "N"), (359.9, "N"), (.nan, "")])
  func coursesHaveNames(degrees: Double, name: String) { #expect(FixViewModel.compassPoint(degrees) == name) }

  /// The panel has 26 columns for a value in a terminal of 80.
  @Test(arguments: GNSSQuality.Status.allCases) func everyStatusHasRoomBesideTheSatellites(status: GNSSQuality.Status) {
    var location = fix()
    (location.satellitesUsed, location.satellitesSeen) = (22, 30)
    location.quality = GNSSQuality(status: status)
    let text = reading(.fix, of: location)?.text ?? ""
    #expect(text.hasSuffix(", 22/30 sats") && text.count <= 26, "\(text)")
  }
}

extension FixViewModel.Output {
  fileprivate subscript(row: FixRow) -> Driver<Reading> { readings[row] ?? .empty() }
}
