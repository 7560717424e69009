import FoundationEssentials
import LocationKit

/// Makes the summary of a track, fed event by event, in constant memory but for the trips and stops that it finds.
///
///     var summarizer = TrackSummarizer()
///     try TrackReader.read(.path("drive.nmea")) { summarizer.add($0) }
///     let summary = summarizer.finish()
///
/// The definitions are on the page <doc:WhatATrackHolds>.
public struct TrackSummarizer: Sendable {
  /// Seconds away from a stop after which it is over, when they are fewer than those that make a stop. Coming back sooner
  /// was the receiver's doing.
  static let longestExcursion = 30.0
  /// Seconds, a year: a greater step in time is none of the receiver's whereabouts but its clock's, which it sets when it
  /// learns the date, or that of a far later recording.
  static let longestStep = 365 * 86_400.0

  /// Trips and stops that are over by now, in order. It may be emptied to bound the memory.
  public var parts: [TrackSummary.Part] = []
  /// The figures so far. Those of the trip or stop under way are not in them yet, but for what every fix adds to at once.
  public private(set) var statistics = TrackStatistics()

  private let settings: TrackSettings
  private var speedMeter = SpeedMeter()
  private var leg: TripLeg
  private var window: StayWindow
  private var stay: Stay?
  /// Where the last fix of the segment was; `nil` after a gap.
  private var previous: LocationCoordinate2D?
  /// Where the last fix was, also across a gap.
  private var last: LocationCoordinate2D?
  /// Whether the next fix comes after a silence.
  private var isSilent = false
  /// Whether the segment has a fix with a time.
  private var isTimed = false
  /// The last fix with a time.
  private var newest: TripLeg.Point?
  private var averageSpeed = AverageSpeed()
  /// When the time last began to run forwards.
  private var runStart: Date?
  /// The times before that.
  private var covered = CoveredTime()

  /// Creates a summarizer.
  public init(settings: TrackSettings = TrackSettings()) {
    self.settings = settings
    leg = TripLeg(climbThreshold: settings.climbThreshold)
    window = StayWindow(settings)
  }

  /// Takes the next event. A fix without a valid position counts as a gap.
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
      // The clock was set, or another recording follows: the line may go on, but no time divides the way there.
      endPart()
      addBetweenParts(&step)
      isTimed = false
      speedMeter.addGap()
      if let newest { covered.add((runStart ?? newest.time)...newest.time) }
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
    take(fix, index, point, step, after: step.movingTime > 0 ? 0 : seconds ?? 0, speed: speed)
    previous = fix.coordinate
    last = fix.coordinate
    if point != nil { (newest, isTimed) = (point, true) }
  }

  /// Whether a way took more than twice the time that the trip before it would have taken, and so was rest for the most part.
  private func isSlow(_ distance: LocationDistance, _ seconds: Double) -> Bool {
    guard let usual = leg.averageSpeed.value ?? averageSpeed.value else { return true }
    return distance < usual / 2 * seconds
  }

  /// Counts what lies between two trips as the whole's.
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

  /// The trip under way; `nil` at a stop, and before the second fix with a time.
  public var currentTrip: Trip? { stay == nil ? leg.trip : nil }

  /// Ends the track; the last trip or stop is in the summary then.
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

  /// Counts what does not depend on the fixes before.
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

  private mutating func take(
    _ fix: Location, _ index: Int, _ point: TripLeg.Point?, _ step: TripLeg.Step, after pause: Double,
    speed: LocationSpeed?
  ) {
    guard let point else { return leg.add(fix, index: index, step: step, speed: speed) }
    let accuracy = fix.horizontalAccuracy.map { $0.isFinite ? max(0, $0) : 0 } ?? 0
    if stay?.holds(point, accuracy: accuracy) == true {
      stay?.add(point)
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
    window.add(StayWindow.Sample(point: point, accuracy: accuracy, leg: leg))
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

  private mutating func beginLeg() {
    leg = TripLeg(climbThreshold: settings.climbThreshold)
  }

  /// The fixes of the window are a stop: the trip ended with the first of them.
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

  /// Ends a trip and adds it to the figures.
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

  /// Ends whatever is under way.
  private mutating func endPart() {
    endStay()
    endLeg(leg)
    beginLeg()
    window.removeAll()
  }
}
