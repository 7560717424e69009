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
  /// The figures so far. Those of the trip or stop under way are not in them yet, but for `distance` and what every fix
  /// adds to at once.
  public private(set) var statistics = TrackStatistics()

  private let settings: TrackSettings
  private var speedMeter = SpeedMeter()
  private var leg: TripLeg
  private var window: StayWindow
  private var stay: Stay?
  /// The last fix of the segment; `nil` after a gap.
  private var previous: Location?
  /// The last fix, also across a gap; `nil` where nothing leads from it to the next one.
  private var lastFix: Location?
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
    guard case .fix(let fix) = event, fix.coordinate.isValid else { return beginSegment() }
    let index = statistics.fixCount
    let point = TripLeg.Point(fix, index: index)
    var seconds: Double?
    if let point, let newest { seconds = point.time.timeIntervalSince(newest.time) }
    if let seconds, seconds < 0 || seconds > Self.longestStep {
      // The clock was set, or another recording follows: nothing leads from there to here.
      endPart()
      beginSegment()
      lastFix = nil
      if let newest { covered.add((runStart ?? newest.time)...newest.time) }
      runStart = nil
    }
    if runStart == nil { runStart = point?.time }
    note(fix)

    var step = TripLeg.Step()
    if let previous {
      step.distance = fix.distance(from: previous)
    } else {
      if let lastFix { step.gapDistance = fix.distance(from: lastFix) }
      statistics.segmentCount += 1
    }
    // Fixes without times between two that have one do not shorten the time of the way.
    if let point, let newest, let seconds, seconds >= 0 {
      let new = covered.uncovered(from: newest.time, to: point.time)
      if isTimed {
        (step.movingTime, step.newMovingTime) = (seconds, new)
      } else {
        (step.gapTime, step.newGapTime) = (seconds, new)
      }
    }
    statistics.distance += step.distance
    let speed = speedMeter.add(fix)
    step.mean = speedMeter.mean
    take(fix, index, point, step, speed: speed)
    previous = fix
    lastFix = fix
    if point != nil { (newest, isTimed) = (point, true) }
  }

  /// The trip under way; `nil` at a stop, and before the second fix with a time.
  public var currentTrip: Trip? { stay == nil ? leg.trip : nil }

  /// Ends the track; the last trip or stop is in the summary then.
  public mutating func finish() -> TrackSummary {
    endPart()
    beginSegment()
    lastFix = nil
    newest = nil
    return TrackSummary(statistics: statistics, parts: parts)
  }

  private mutating func beginSegment() {
    previous = nil
    isTimed = false
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
    _ fix: Location, _ index: Int, _ point: TripLeg.Point?, _ step: TripLeg.Step, speed: LocationSpeed?
  ) {
    guard let point else { return leg.add(fix, index: index, step: step, speed: speed) }
    let accuracy = fix.horizontalAccuracy.map { $0.isFinite ? max(0, $0) : 0 } ?? 0
    if stay?.holds(point, accuracy: accuracy) == true {
      stay?.add(point)
      beginLeg()
      window.removeAll()
      return leg.add(fix, index: index, step: TripLeg.Step(), speed: nil)
    }
    var step = step
    let isLongGap = step.gapTime >= settings.stopAfter
    if isLongGap, !isNear(fix, accuracy) {
      endPart()
      statistics.gapTime += step.newGapTime
      statistics.gapDistance += step.gapDistance
      (step.gapTime, step.newGapTime, step.gapDistance) = (0, 0, 0)
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

  /// Whether a fix after a gap is at the place of the fix before it.
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
    statistics.movingDistance += leg.total.distance
    statistics.movingTime += leg.total.newMovingTime
    statistics.gapTime += leg.total.newGapTime
    statistics.gapDistance += leg.total.gapDistance
    averageSpeed.add(leg.averageSpeed)
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
