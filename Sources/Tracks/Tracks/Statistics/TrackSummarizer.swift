import FoundationEssentials
import LocationKit

/// Makes the summary of a track, event by event, in constant memory except for the trips and stops that it finds.
///
///     var summarizer = TrackSummarizer()
///     try TrackReader.read(.path("drive.nmea")) { summarizer.add($0) }
///     let summary = summarizer.finish()
///
/// The definitions are on the page <doc:WhatATrackHolds>.
public struct TrackSummarizer: Sendable {
  /// The seconds away from a stop that end it, if fewer than `stopAfter`. A shorter excursion is an error of the
  /// receiver.
  static let longestExcursion = 30.0
  /// Seconds in a year. A greater step in time comes from the receiver's clock, which was set when it learned the date,
  /// or from a far later recording.
  static let longestStep = 365 * 86_400.0

  /// The finished trips and stops, in order. It may be emptied to bound the memory.
  public var parts: [TrackSummary.Part] = []
  /// The figures so far. They do not yet include the current trip or stop, except for the figures that each fix updates
  /// at once.
  public private(set) var statistics = TrackStatistics()

  private let settings: TrackSettings
  private var speedMeter = SpeedMeter()
  private var leg: TripLeg
  private var window: StayWindow
  private var stay: Stay?
  /// The position of the last fix of the segment; `nil` after a gap.
  private var previous: LocationCoordinate2D?
  /// The position of the last fix, also across a gap.
  private var last: LocationCoordinate2D?
  /// Whether the next fix comes after a silence.
  private var isSilent = false
  /// Whether the segment has a fix with a time.
  private var isTimed = false
  /// The last fix with a time.
  private var newest: TripLeg.Point?
  private var averageSpeed = AverageSpeed()
  /// The time at which the time last began to run forwards.
  private var runStart: Date?
  /// The periods before that.
  private var covered = CoveredTime()

  /// Creates a summarizer.
  public init(settings: TrackSettings = TrackSettings()) {
    self.settings = settings
    leg = TripLeg(climbThreshold: settings.climbThreshold)
    window = StayWindow(settings)
  }

  /// Adds the next event. A fix without a valid position counts as a gap.
  public mutating func add(_ event: TrackEvent) {
    switch event {
    case .fix(let fix) where fix.coordinate.isValid: add(fix)
    case .silence: isSilent = true
    case .fix, .gap: beginSegment()
    }
  }

  private mutating func add(_ fix: Location) {
    let index = statistics.fixCount
    let point = TripLeg.Point(fix, index: index)
    var seconds: Double?
    if let point, let newest { seconds = point.time.timeIntervalSince(newest.time) }
    var step = TripLeg.Step()
    if let previous {
      step.distance = fix.coordinate.distance(from: previous)
    } else {
      if let last { step.gapDistance = fix.coordinate.distance(from: last) }
      statistics.segmentCount += 1
    }
    if let seconds, seconds < 0 || seconds > Self.longestStep {
      // The clock was set, or another recording follows. The line may go on, but the way there has no duration.
      endPart()
      addBetweenParts(&step)
      isTimed = false
      speedMeter.addGap()
      if let newest { covered.add((runStart ?? newest.time)..<newest.time) }
      runStart = nil
    }
    if runStart == nil { runStart = point?.time }
    note(fix)
    // Fixes without times between two that have one do not shorten the time of the way.
    if let point, let newest, let seconds, seconds >= 0 {
      let new = covered.uncovered(from: newest.time, to: point.time)
      if !isTimed {
        step.newGapTime = new
      } else if isSilent, isSlow(step.distance, seconds) {
        (step.silenceDistance, step.newSilenceTime) = (step.distance, new)
        speedMeter.addGap()
      } else {
        (step.movingTime, step.newMovingTime) = (seconds, new)
      }
    }
    isSilent = false
    let speed = speedMeter.add(fix)
    if let mean = speedMeter.mean, let point {
      step.mean = mean
      step.newMeanTime = covered.uncovered(from: point.time - mean.seconds, to: point.time)
    }
    addFix(fix, index, point, step, after: step.movingTime > 0 ? 0 : seconds ?? 0, speed: speed)
    previous = fix.coordinate
    last = fix.coordinate
    if point != nil { (newest, isTimed) = (point, true) }
  }

  /// Whether a way took more than twice as long as at the speed of the trip before it, so that it was mostly rest.
  private func isSlow(_ distance: LocationDistance, _ seconds: Double) -> Bool {
    guard let usual = leg.averageSpeed.value ?? averageSpeed.value else { return true }
    return distance < usual / 2 * seconds
  }

  /// Adds the step between two trips to the figures of the whole.
  private mutating func addBetweenParts(_ step: inout TripLeg.Step) {
    count(step)
    step = TripLeg.Step()
  }

  private mutating func count(_ step: TripLeg.Step) {
    statistics.distance += step.distance
    statistics.movingTime += step.newMovingTime
    statistics.gapTime += step.newGapTime
    statistics.gapDistance += step.gapDistance
    statistics.silenceTime += step.newSilenceTime
    statistics.silenceDistance += step.silenceDistance
  }

  /// The current trip; `nil` at a stop, and before the second fix with a time.
  public var currentTrip: Trip? { stay == nil ? leg.trip : nil }

  /// The current stop; `nil` on a trip.
  public var currentStop: Stop? { stay?.stop }

  /// Ends the track; the summary then includes the last trip or stop.
  public mutating func finish() -> TrackSummary {
    endPart()
    beginSegment()
    last = nil
    newest = nil
    return TrackSummary(statistics: statistics, parts: parts)
  }

  private mutating func beginSegment() {
    previous = nil
    isTimed = false
    isSilent = false
    speedMeter.addGap()
  }

  private mutating func note(_ fix: Location) {
    statistics.fixCount += 1
    if let status = fix.quality?.status { statistics.fixesByStatus[status, default: 0] += 1 }
    if let time = fix.timestamp {
      statistics.start = min(statistics.start ?? time, time)
      statistics.end = max(statistics.end ?? time, time)
    }
    if let altitude = fix.altitude, altitude.isFinite {
      statistics.lowestAltitude = min(statistics.lowestAltitude ?? altitude, altitude)
      statistics.highestAltitude = max(statistics.highestAltitude ?? altitude, altitude)
    }
    if statistics.bounds == nil {
      statistics.bounds = TrackBounds(fix.coordinate)
    } else {
      statistics.bounds?.include(fix.coordinate)
    }
  }

  // MARK: - Trips and stops

  private mutating func addFix(
    _ fix: Location, _ index: Int, _ point: TripLeg.Point?, _ step: TripLeg.Step, after pause: Double,
    speed: LocationSpeed?
  ) {
    guard let point else { return leg.add(fix, index: index, step: step, speed: speed) }
    let accuracy = fix.horizontalAccuracy.map { $0.isFinite ? max(0, $0) : 0 } ?? 0
    let claimed = accuracy > 0 && fix.sourceInformation?.isHeld != true ? accuracy : nil
    if stay?.holds(point, accuracy: accuracy) == true {
      stay?.add(point, claimed: claimed)
      statistics.stoppedDistance += leg.total.distance + step.distance
      beginLeg()
      window.removeAll()
      return leg.add(fix, index: index, step: TripLeg.Step(), speed: nil)
    }
    var step = step
    if pause >= settings.stopAfter, !isNear(fix, accuracy) {
      endPart()
      addBetweenParts(&step)
    }
    leg.add(fix, index: index, step: step, speed: speed)
    window.add(StayWindow.Sample(point: point, accuracy: accuracy, claimed: claimed, leg: leg))
    if let stay {
      let away = point.time.timeIntervalSince(stay.last.time)
      guard away > min(Self.longestExcursion, settings.stopAfter) else { return }
      endStay()
    }
    if window.duration >= settings.stopAfter {
      beginStay()
      leg.add(fix, index: index, step: TripLeg.Step(), speed: nil)
    }
  }

  /// Whether a fix after a gap or a silence is at the place of the fix before it.
  private func isNear(_ fix: Location, _ accuracy: LocationAccuracy) -> Bool {
    guard stay == nil, let last = window.samples.last else { return false }
    return LocalPlane(at: fix.coordinate).distance(to: last.point.coordinate)
      <= settings.stopWithin + max(accuracy, last.accuracy)
  }

  private mutating func beginLeg() { leg = TripLeg(climbThreshold: settings.climbThreshold) }

  /// Turns the fixes of the window into a stop: the trip ended with the first of them.
  private mutating func beginStay() {
    guard let first = window.samples.first else { return }
    statistics.stoppedDistance += leg.total.distance - first.leg.total.distance
    endLeg(first.leg)
    stay = Stay(window.samples, within: settings.stopWithin)
    beginLeg()
    window.removeAll()
  }

  private mutating func endStay() {
    guard let stop = stay?.stop else { return }
    parts.append(.stop(stop))
    statistics.stoppedTime += covered.uncovered(from: stop.arrival, to: stop.departure)
    stay = nil
  }

  private mutating func endLeg(_ leg: TripLeg) {
    count(leg.total)
    averageSpeed.add(leg.newAverageSpeed)
    statistics.averageSpeed = averageSpeed.value
    if let speed = leg.greatestSpeed { statistics.greatestSpeed = max(statistics.greatestSpeed ?? 0, speed) }
    if leg.hasAltitude {
      statistics.ascent = (statistics.ascent ?? 0) + leg.climb.ascent
      statistics.descent = (statistics.descent ?? 0) + leg.climb.descent
    }
    if let trip = leg.trip { parts.append(.trip(trip)) }
  }

  private mutating func endPart() {
    endStay()
    endLeg(leg)
    beginLeg()
    window.removeAll()
  }
}

/// The periods that parts of a track have covered, if its time runs backwards: two receivers in one file, or files that
/// overlap. It holds one period for each time that it did, and none for a track whose time runs forwards.
struct CoveredTime: Sendable {
  /// In order, without overlaps. Not a range set: looking through it takes 4 % of the time of a large GPX file.
  private var periods: [Range<Date>] = []

  mutating func add(_ period: Range<Date>) { periods = Array(RangeSet(periods + [period]).ranges) }

  /// The seconds between two times that no period covers.
  func uncovered(from start: Date, to end: Date) -> Double {
    let all = end.timeIntervalSince(start)
    guard !periods.isEmpty, all > 0 else { return all }
    return periods.reduce(all) { rest, period in
      rest - max(0, min(end, period.upperBound).timeIntervalSince(max(start, period.lowerBound)))
    }
  }
}
