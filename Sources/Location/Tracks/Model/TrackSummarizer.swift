/// Makes the summary of a track, fed event by event, in constant memory but for the trips and stops that it finds.
///
///     var summarizer = TrackSummarizer()
///     try TrackReader.read(.path("drive.nmea")) { summarizer.add($0) }
///     let summary = summarizer.finish()
public struct TrackSummarizer: Sendable {
  /// Trips and stops that are over by now, in order. It may be emptied to bound the memory.
  public var parts: [TrackSummary.Part] = []
  /// The figures so far.
  public private(set) var statistics = TrackStatistics()
  private let settings: TrackSettings

  /// Creates a summarizer.
  public init(settings: TrackSettings = TrackSettings()) {
    self.settings = settings
  }

  /// Takes the next event.
  public mutating func add(_ event: TrackEvent) {
  }

  /// Ends the track; the last trip or stop is in the summary then.
  public mutating func finish() -> TrackSummary {
    TrackSummary(statistics: statistics, parts: parts)
  }
}
