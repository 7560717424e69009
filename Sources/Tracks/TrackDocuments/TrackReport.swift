public import LocationKit
public import Tracks

/// What a document says about a track as a whole.
public struct TrackReport: Sendable, Hashable {
  /// What a person calls the track, such as the names of its files.
  public var name: String
  /// Its figures, trips and stops.
  public var summary: TrackSummary
  /// How many fixes were left out as jumps.
  public var jumps: Int
  /// The records that were passed over.
  public var skipped: SkippedRecords

  /// Creates a report.
  public init(name: String, summary: TrackSummary, jumps: Int = 0, skipped: SkippedRecords = SkippedRecords()) {
    (self.name, self.summary, self.jumps, self.skipped) = (name, summary, jumps, skipped)
  }

  /// The figures in words, each with its name, then trips and stops; what is not known is left out.
  ///
  /// - Parameters:
  ///   - timeZone: The zone of the times.
  ///   - units: The units of the figures.
  public func figures(
    in timeZone: TrackTimeZone = .utc, units: MeasurementUnits = .metric
  ) -> [(name: String, value: String)] {
    SummaryTable(report: self, timeZone: timeZone, units: units).page
  }
}
