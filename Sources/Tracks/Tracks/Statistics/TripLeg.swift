import FoundationEssentials
import LocationKit

/// The figures of a trip so far. It is a plain value, so a copy of it is the trip at an earlier fix.
struct TripLeg: Sendable {
  /// A fix with a time, and its place in the stream.
  struct Point: Sendable {
    var index: Int
    var time: Date
    var coordinate: LocationCoordinate2D

    init?(_ fix: Location, index: Int) {
      guard let time = fix.timestamp else { return nil }
      (self.index, self.time, coordinate) = (index, time, fix.coordinate)
    }
  }

  struct Step: Sendable {
    /// Metres; 0 across a gap.
    var distance: LocationDistance = 0
    /// Seconds; 0 across a gap or a silence, and if a time is unknown.
    var movingTime = 0.0
    /// Metres; 0 except across a gap.
    var gapDistance: LocationDistance = 0
    /// Metres of `distance`; 0 except across a silence.
    var silenceDistance: LocationDistance = 0
    /// Seconds that no earlier part of the track has covered: of `movingTime`, across a gap, and across a silence.
    var newMovingTime = 0.0
    var newGapTime = 0.0
    var newSilenceTime = 0.0
    /// The mean speed; `nil` if it is unknown.
    var mean: SpeedMeter.Mean?
    /// Seconds of `mean` that no earlier part of the track has covered.
    var newMeanTime = 0.0
  }

  private(set) var first: Point?
  private(set) var last: Point?
  private(set) var total = Step()
  private(set) var greatestSpeed: LocationSpeed?
  private(set) var averageSpeed = AverageSpeed()
  /// The same for the time that no earlier part of the track has covered.
  private(set) var newAverageSpeed = AverageSpeed()
  private(set) var climb: ClimbMeter
  private(set) var hasAltitude = false

  init(climbThreshold: LocationDistance) { climb = ClimbMeter(threshold: climbThreshold) }

  mutating func add(_ fix: Location, index: Int, step: Step, speed: LocationSpeed?) {
    if let point = Point(fix, index: index) {
      if first == nil { first = point }
      last = point
    }
    total.distance += step.distance
    total.movingTime += step.movingTime
    total.gapDistance += step.gapDistance
    total.silenceDistance += step.silenceDistance
    total.newMovingTime += step.newMovingTime
    total.newGapTime += step.newGapTime
    total.newSilenceTime += step.newSilenceTime
    if let mean = step.mean {
      averageSpeed.add(mean.speed, for: mean.seconds)
      newAverageSpeed.add(mean.speed, for: step.newMeanTime)
      greatestSpeed = max(greatestSpeed ?? 0, mean.speed)
    }
    if let speed { greatestSpeed = max(greatestSpeed ?? 0, speed) }
    if let altitude = fix.altitude, altitude.isFinite {
      hasAltitude = true
      climb.add(altitude)
    }
  }

  /// The trip; `nil` without two fixes that have a time.
  var trip: Trip? {
    guard let first, let last, last.index > first.index else { return nil }
    return Trip(
      start: first.time, end: last.time, startCoordinate: first.coordinate, endCoordinate: last.coordinate,
      fixes: first.index..<last.index + 1, distance: total.distance, movingTime: total.movingTime,
      averageSpeed: averageSpeed.value, greatestSpeed: greatestSpeed, ascent: hasAltitude ? climb.ascent : nil,
      descent: hasAltitude ? climb.descent : nil)
  }
}

/// The mean of speeds by time, which is never more than the greatest of them.
struct AverageSpeed: Sendable {
  private var distance = 0.0
  private var seconds = 0.0
  private var greatest = 0.0

  mutating func add(_ speed: LocationSpeed, for time: Double) {
    distance += speed * time
    seconds += time
    greatest = max(greatest, speed)
  }

  mutating func add(_ other: AverageSpeed) {
    distance += other.distance
    seconds += other.seconds
    greatest = max(greatest, other.greatest)
  }

  /// Metres per second; `nil` without time.
  var value: LocationSpeed? {
    // Rounding could otherwise make the mean greater than the greatest speed.
    seconds > 0 ? min(distance / seconds, greatest) : nil
  }
}
