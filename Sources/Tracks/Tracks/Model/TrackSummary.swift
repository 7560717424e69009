public import FoundationEssentials
public import LocationKit

/// The figures, trips and stops of a track.
public struct TrackSummary: Sendable, Hashable {
  /// A trip or a stop.
  public enum Part: Sendable, Hashable {
    /// Under way.
    case trip(Trip)
    /// At one place.
    case stop(Stop)
  }

  /// The figures of the whole.
  public var statistics = TrackStatistics()
  /// Trips and stops in the order of the track.
  public var parts: [Part] = []

  /// The trips, in order.
  public var trips: [Trip] { parts.compactMap { if case .trip(let trip) = $0 { trip } else { nil } } }

  /// The stops, in order.
  public var stops: [Stop] { parts.compactMap { if case .stop(let stop) = $0 { stop } else { nil } } }
}

/// The part of a track between two stops, or between a stop and an end of the track.
///
/// A gap or a silence of at least `TrackSettings.stopAfter` ends a trip as well. A trip has at least two fixes.
public struct Trip: Sendable, Hashable {
  /// The time of its first fix.
  public var start: Date
  /// The time of its last fix.
  public var end: Date
  /// The position of its first fix.
  public var startCoordinate: LocationCoordinate2D
  /// The position of its last fix.
  public var endCoordinate: LocationCoordinate2D
  /// The fixes of the stream that it includes; the first fix of the stream is 0. It shares its first fix with the stop
  /// before it and its last one with the stop after it.
  public var fixes: Range<Int>
  /// Metres between successive fixes, without gaps.
  public var distance: LocationDistance
  /// Seconds between successive fixes, without gaps and silences.
  public var movingTime: Double
  /// Metres per second: the mean of `SpeedMeter`'s readings by time; `nil` without readings.
  public var averageSpeed: LocationSpeed?
  /// Metres per second: the greatest `SpeedMeter` reading; `nil` without readings.
  public var greatestSpeed: LocationSpeed?
  /// Metres gained, by `ClimbMeter`; `nil` if no fix has an altitude.
  public var ascent: LocationDistance?
  /// Metres lost, a positive number; `nil` if no fix has an altitude.
  public var descent: LocationDistance?

  /// Metres in `movingTime`: the average speed times the moving time; `nil` without a speed.
  public var movingDistance: LocationDistance? { averageSpeed.map { $0 * movingTime } }

  /// Seconds from start to end.
  public var duration: Double { end.timeIntervalSince(start) }
}

/// A stay at one place that lasted at least `TrackSettings.stopAfter`.
public struct Stop: Sendable, Hashable {
  /// The mean of the fixes of the stay.
  public var coordinate: LocationCoordinate2D
  /// The time of the first fix of the stay.
  public var arrival: Date
  /// The time of the last fix of the stay.
  public var departure: Date
  /// The fixes of the stream that belong to the stay; the first fix of the stream is 0.
  public var fixes: Range<Int>
  /// `nil` for fewer than 30 fixes that have an accuracy and are not held.
  public var accuracy: StopAccuracy?

  /// Seconds from arrival to departure.
  public var duration: Double { departure.timeIntervalSince(arrival) }
}

/// The accuracy that a receiver claimed at a stop, and the scatter of its fixes.
///
/// Errors that the fixes of a stop share, such as those of the ionosphere and of reflections, do not scatter. So a receiver
/// may be worse than its scatter, and over a short stop it is.
public struct StopAccuracy: Sendable, Hashable {
  /// Metres: the median of the fixes' `horizontalAccuracy`.
  public var claimed: LocationAccuracy
  /// Metres: 95 % of the fixes are within it of their mean.
  public var scatter: LocationDistance
  /// Seconds from the first of these fixes to the last.
  public var duration: Double
}
