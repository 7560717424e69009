public import LocationKit
public import Tracks

/// The facts about a track as a whole that a document shows.
public struct TrackReport: Sendable, Hashable {
  /// The name of the track for a person, such as the names of its files.
  public var name: String
  /// The figures, trips and stops.
  public var summary: TrackSummary
  /// The number of fixes that were left out as jumps.
  public var jumps: Int
  /// The records that were skipped.
  public var skipped: SkippedRecords

  /// Creates a report.
  public init(name: String, summary: TrackSummary, jumps: Int = 0, skipped: SkippedRecords = SkippedRecords()) {
    (self.name, self.summary, self.jumps, self.skipped) = (name, summary, jumps, skipped)
  }

  /// The figures in words, each with its name, then trips and stops. Unknown figures are left out.
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
