import Foundation
import Glibc
import LocationKit
import TestSupport

@testable import Tracks

/// A scripted drive: what a receiver would have recorded, with its noise, and with what is known about it.
struct Drive {
  /// A stop that the script made.
  struct Known {
    var arrival: Date
    var departure: Date
    var coordinate: LocationCoordinate2D
  }

  private(set) var fixes: [Location] = []
  private(set) var stops: [Known] = []
  private(set) var time = Date(timeIntervalSince1970: 1_750_000_000)

  private var random: SplitMix
  private var coordinate: LocationCoordinate2D
  /// Metres of a slow wander, as multipath and the ionosphere make it, east and north.
  private var wander = (0.0, 0.0)
  private let noise: Double
  private let interval: Double
  var reportsSpeed = true
  var accuracy: LocationAccuracy? = 8
  var isHeld = false

  /// - Parameters:
  ///   - noise: Metres of the wander, one standard deviation on each axis.
  init(
    from coordinate: LocationCoordinate2D = .init(latitude: 48.1, longitude: 11.6), seed: UInt64 = 1,
    noise: Double = 4, interval: Double = 1
  ) {
    (self.coordinate, random, self.noise, self.interval) = (coordinate, SplitMix(state: seed), noise, interval)
  }

  mutating func drive(_ seconds: Double, speed: LocationSpeed, course: LocationDirection) {
    for _ in 0..<Int(seconds / interval) {
      let metres = speed * interval
      coordinate = moved(coordinate, east: metres * sin(course * .pi / 180), north: metres * cos(course * .pi / 180))
      record(speed: speed, course: course)
    }
  }

  mutating func park(_ seconds: Double) {
    let arrival = fixes.last?.timestamp ?? time
    for _ in 0..<Int(seconds / interval) { record(speed: 0.05, course: nil) }
    stops.append(Known(arrival: arrival, departure: time, coordinate: coordinate))
  }

  /// Waits too shortly for a stop.
  mutating func wait(_ seconds: Double) {
    for _ in 0..<Int(seconds / interval) { record(speed: 0.05, course: nil) }
  }

  /// Lets time pass without a fix.
  mutating func pause(_ seconds: Double) { time += seconds }

  private mutating func record(speed: LocationSpeed, course: LocationDirection?) {
    time += interval
    // A random walk that is drawn back, with a time constant of a minute, and white noise of a tenth.
    let pull = exp(-interval / 60)
    let push = noise * (1 - pull * pull).squareRoot()
    wander = (wander.0 * pull + push * random.normal(), wander.1 * pull + push * random.normal())
    let seen = moved(
      coordinate, east: wander.0 + noise / 10 * random.normal(), north: wander.1 + noise / 10 * random.normal())
    fixes.append(
      Location(
        coordinate: seen, altitude: 520 + wander.0, horizontalAccuracy: accuracy,
        course: reportsSpeed ? course : nil, speed: reportsSpeed ? max(0, speed + 0.05 * random.normal()) : nil,
        timestamp: time, mode: .threeDimensional,
        sourceInformation: isHeld ? LocationSourceInformation(isHeld: true) : nil))
  }
}

func moved(_ point: LocationCoordinate2D, east: Double, north: Double) -> LocationCoordinate2D {
  let radius = WGS84.primeVerticalRadius(atLatitude: point.latitude) * cos(point.latitude * .pi / 180)
  return LocationCoordinate2D(
    latitude: point.latitude + north / WGS84.meridianRadius(atLatitude: point.latitude) * 180 / .pi,
    longitude: remainder(point.longitude + east / radius * 180 / .pi, 360))
}

extension Location {
  func moved(east: Double = 0, north: Double = 0) -> Location {
    var fix = self
    fix.coordinate = TracksTests.moved(coordinate, east: east, north: north)
    return fix
  }
}

protocol TrackStage {
  mutating func add(_ event: TrackEvent, _ emit: (TrackEvent) -> Void)
  mutating func finish(_ emit: (TrackEvent) -> Void)
}

extension GapFinder: TrackStage {}
extension JumpFilter: TrackStage {}
extension Simplifier: TrackStage {}

extension Sequence<TrackEvent> {
  func passed(through stage: inout some TrackStage) -> [TrackEvent] {
    var passed: [TrackEvent] = []
    for event in self { stage.add(event) { passed.append($0) } }
    stage.finish { passed.append($0) }
    return passed
  }
}

func summary(_ events: some Sequence<TrackEvent>) -> TrackSummary {
  var summarizer = TrackSummarizer()
  for event in events { summarizer.add(event) }
  return summarizer.finish()
}

func summary(_ fixes: [Location]) -> TrackSummary { summary(fixes.map(TrackEvent.fix)) }

extension SplitMix {
  mutating func next(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &self) }
}

extension TrackEvent {
  var fix: Location? { if case .fix(let fix) = self { fix } else { nil } }
}

/// A fix some metres from one place, some seconds after one time.
func fix(
  _ seconds: Double?, east: Double = 0, north: Double = 0, altitude: Double? = nil, speed: Double? = nil,
  accuracy: Double? = nil
) -> Location {
  Location(
    coordinate: moved(.init(latitude: 48, longitude: 11), east: east, north: north), altitude: altitude,
    horizontalAccuracy: accuracy, speed: speed,
    timestamp: seconds.map { Date(timeIntervalSince1970: 1_750_000_000 + $0) })
}
