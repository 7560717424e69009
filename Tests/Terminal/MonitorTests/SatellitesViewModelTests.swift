import LocationKit
import Rx
import RxBinding
import RxTest
import TerminalKit
import TestSupport
import Testing

@testable import Monitor

@MainActor @Suite(.inTurn) struct SatellitesViewModelTests {
  private let scheduler = TestScheduler(initialClock: 0, resolution: 0.1)
  private let bag = DisposeBag()
  private let satellites = PublishSubject<[Satellite]>()
  private let losses = PublishSubject<Void>()
  private let query = BehaviorRelay(value: "")
  private let bySignal = BehaviorRelay(value: false)

  private static let seen = [
    Satellite(system: .gps, number: 5, azimuth: 0, elevation: 45, signal: 30, isUsed: true),
    Satellite(system: .galileo, number: 11, azimuth: 90, elevation: 0, signal: 44, isUsed: true),
    Satellite(system: .glonass, number: 7, signal: nil, isUsed: false),
    Satellite(system: .gps, number: 12, azimuth: 270, elevation: 10, signal: 30, isUsed: false),
  ]

  private func output() -> SatellitesViewModel.Output {
    SatellitesViewModel(scheduler: scheduler).transform(
      input: .init(
        satellites: satellites.asObservable(), loss: losses.asObservable(), query: query.asObservable(),
        bySignal: bySignal.asObservable()))
  }

  private func names(_ output: SatellitesViewModel.Output) -> TestableObserver<[String]> {
    let observer = scheduler.createObserver([String].self)
    output.satellites.map { $0.map(\.name) }.drive(observer).disposed(by: bag)
    return observer
  }

  @Test func theOrderStaysUnlessTheStrongestAreAskedFor() {
    let names = names(output())
    satellites.onNext(Self.seen)
    #expect(names.events.last?.value.element == ["GPS 05", "GPS 12", "Galileo 11", "GLONASS 07"])
    bySignal.accept(true)
    #expect(names.events.last?.value.element == ["Galileo 11", "GPS 05", "GPS 12", "GLONASS 07"])
    losses.onNext(())
    #expect(names.events.last?.value.element == [])
  }

  @Test func theFilterWaitsForAPauseInTheWriting() {
    let names = names(output())
    satellites.onNext(Self.seen)
    for (time, text) in [(10, "g"), (11, "gp"), (12, "gps"), (20, "gps used"), (30, "unused"), (40, "zz")] {
      scheduler.scheduleAt(time) { query.accept(text) }
    }
    scheduler.start()
    #expect(
      names.events.suffix(4).map { "\($0.time) \($0.value.element ?? [])" } == [
        #"15 ["GPS 05", "GPS 12"]"#, #"23 ["GPS 05"]"#, #"33 ["GPS 12", "GLONASS 07"]"#, "43 []",
      ])
    // New reports pass the same filter.
    query.accept("galileo")
    scheduler.start()
    satellites.onNext(Array(Self.seen.prefix(2)))
    #expect(names.events.last?.value.element == ["Galileo 11"])
  }

  @Test func theTitleCounts() {
    let titles = output().title.recorded(in: bag)
    satellites.onNext(Self.seen)
    #expect(titles.values == ["Satellites", "Satellites: 2 of 4 used"])
  }

  @Test func aCellHasABarWithItsSignal() {
    let cell = SatelliteCell()
    cell.show(Self.seen[1])
    let screen = Screen(root: cell, size: Size(width: 30, height: 1))
    #expect(screen.render().text == "Galileo 11 ████████░░  44 used\n")
    cell.prepareForReuse()
    cell.show(Self.seen[2])
    #expect(screen.render().text == "GLONASS 07\n")
  }

  @Test func theScaleIsAboveTheBars() {
    #expect(SatelliteCell.scale(width: 30) == "           0       50 dB-Hz")
    #expect(SatelliteCell.scale(width: 12) == "")
  }

  @Test func theSkyHasNorthUpAndTheZenithInTheMiddle() {
    let sky = SkyView()
    sky.satellites = Self.seen
    let surface = Screen(root: sky, size: Size(width: 41, height: 19)).render()
    // Half way to the horizon in the north, at the horizon in the east.
    #expect(surface.text(ofRow: 5).contains("G5"))
    #expect(surface.text(ofRow: 9).hasSuffix("E11"))
    #expect(surface.text(ofRow: 0).contains("N"))
    #expect(!surface.text.contains("7"))
    // Too little room, and places that are none.
    sky.satellites = [Satellite(system: .gps, number: 1, azimuth: .nan, elevation: .infinity, isUsed: true)]
    for width in 0..<20 {
      for height in 0..<8 { _ = Screen(root: sky, size: Size(width: width, height: height)).render() }
    }
  }
}
