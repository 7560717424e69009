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
  public var statistics: TrackStatistics
  /// Trips and stops in the order of the track.
  public var parts: [Part]

  /// Creates a summary.
  public init(statistics: TrackStatistics = TrackStatistics(), parts: [Part] = []) {
    self.statistics = statistics
    self.parts = parts
  }

  /// The trips, in order.
  public var trips: [Trip] { parts.compactMap { if case .trip(let trip) = $0 { trip } else { nil } } }

  /// The stops, in order.
  public var stops: [Stop] { parts.compactMap { if case .stop(let stop) = $0 { stop } else { nil } } }
}
