import Foundation
import LocationKit
import TestSupport

/// A receiver with the errors of real ones, which can also be jammed, spoofed or confused.
struct DoubtfulReceiver {
  private(set) var fix = Location(latitude: 48, longitude: 11)
  /// Seconds since the start, the clock of the source.
  private(set) var now = 0.0
  /// The claimed accuracy in metres.
  var accuracy = 8.0
  /// The standard deviation of the errors to the east and to the north, as a part of the claimed accuracy.
  var error = 0.5
  /// Faults, each nothing at first: metres per second by which the position is dragged away, the factor of the reported
  /// speed, whether the position is stuck, seconds by which the date is wrong, dB that all signals are weaker, and the part
  /// of their differences that is left.
  var drag = 0.0
  var speedFactor = 1.0
  var isStuck = false
  var dateError = 0.0
  var signalLoss = 0.0
  var signalVariety = 1.0

  private var random: SplitMix
  private let interval: Double
  private var position = (east: 0.0, north: 0.0)
  private var dragged = 0.0
  private var speed = 0.0
  private var course = 0.0
  private var wander = (east: 0.0, north: 0.0)
  private let start = Date(timeIntervalSince1970: 1_800_000_000)

  init(seed: UInt64 = 1, interval: Double = 1) { (random, self.interval) = (SplitMix(state: seed), interval) }

  /// The next fix, while the receiver accelerates to a speed and turns by some degrees a second.
  mutating func next(speed target: Double, turn: Double = 0) -> Location {
    now += interval
    speed += max(-3 * interval, min(2 * interval, target - speed))
    course = (course + turn * interval + 360).truncatingRemainder(dividingBy: 360)
    let metres = speed * interval
    position.east += metres * sin(course * .pi / 180)
    position.north += metres * cos(course * .pi / 180)
    dragged += drag * interval
    // A random walk that is drawn back within a minute, and white noise.
    let pull = exp(-interval / 60)
    let push = accuracy * error * (1 - pull * pull).squareRoot()
    wander = (wander.east * pull + push * random.normal(), wander.north * pull + push * random.normal())
    let noise = accuracy * error / 10
    if !isStuck {
      let east = position.east + dragged + wander.east + noise * random.normal()
      let north = position.north + wander.north + noise * random.normal()
      fix.coordinate = LocationCoordinate2D(latitude: 48 + north / 111_190, longitude: 11 + east / 74_600)
    }
    fix.speed = max(0, speed * speedFactor + 0.1 * random.normal())
    fix.course = speed > 1 ? course : nil
    fix.horizontalAccuracy = accuracy
    fix.timestamp = start + now + dateError
    return fix
  }

  /// Moves the reported position to the east, once and for all.
  mutating func jump(_ metres: Double) { dragged += metres }

  /// Lets time pass without a fix. The next one is in error by many metres, which shrink within a minute.
  mutating func loseFix(_ seconds: Double) {
    now += seconds
    position.north += speed * seconds
    wander = (2 * accuracy * random.normal(), 2 * accuracy * random.normal())
  }

  mutating func satellites() -> [Satellite] {
    (1...12).map { number in
      let usual = 24 + 2.0 * Double(number)
      let signal = 37 + (usual - 37 + 1.5 * random.normal()) * signalVariety - signalLoss
      return Satellite(system: .gps, number: number, signal: max(0, signal.rounded()), isUsed: true)
    }
  }

  mutating func uniform(_ range: ClosedRange<Double>) -> Double { Double.random(in: range, using: &random) }
}
