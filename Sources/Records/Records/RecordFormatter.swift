public import LocationKit

/// Turns the records of a location stream into the bytes of one format.
///
/// Every method appends whole records. A record that the format does not have appends nothing. A value that is unknown,
/// not finite or absurdly large is left out. Formatters are pure: they use no clock and no files.
public protocol RecordFormatter: Sendable {
  /// Appends the beginning of a stream.
  mutating func appendStart(to buffer: inout RecordBuffer)
  /// Appends a location.
  mutating func append(_ location: Location, to buffer: inout RecordBuffer)
  /// Appends the crossing of a fence.
  mutating func append(_ crossing: RegionCrossing, to buffer: inout RecordBuffer)
  /// Appends a failure of the location service.
  mutating func append(_ error: LocationError, to buffer: inout RecordBuffer)
  /// Appends a record which says that `count` records were lost here.
  mutating func append(dropped count: Int, to buffer: inout RecordBuffer)
  /// Appends the end of a stream.
  mutating func appendEnd(to buffer: inout RecordBuffer)
}

extension RecordFormatter {
  /// Appends nothing.
  public mutating func appendStart(to buffer: inout RecordBuffer) {}
  /// Appends nothing.
  public mutating func append(_ crossing: RegionCrossing, to buffer: inout RecordBuffer) {}
  /// Appends nothing.
  public mutating func append(dropped count: Int, to buffer: inout RecordBuffer) {}
  /// Appends nothing.
  public mutating func appendEnd(to buffer: inout RecordBuffer) {}
}
