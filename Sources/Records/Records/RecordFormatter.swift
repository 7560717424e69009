public import LocationKit

/// Turns the records of a location stream into the bytes of one format.
///
/// Every method appends whole records, never a part of one; one that has no place in the format appends nothing.
/// A value that is unknown, not finite or absurdly large is left out. Formatters are pure: no clock, no files.
public protocol RecordFormatter: Sendable {
  /// Appends what a stream of this format begins with.
  mutating func appendStart(to buffer: inout RecordBuffer)
  /// Appends a location.
  mutating func append(_ location: Location, to buffer: inout RecordBuffer)
  /// Appends the crossing of a fence.
  mutating func append(_ crossing: RegionCrossing, to buffer: inout RecordBuffer)
  /// Appends a failure of the location service.
  mutating func append(_ error: LocationError, to buffer: inout RecordBuffer)
  /// Appends that `count` records were lost here.
  mutating func append(dropped count: Int, to buffer: inout RecordBuffer)
  /// Appends what a stream of this format ends with.
  mutating func appendEnd(to buffer: inout RecordBuffer)
}

extension RecordFormatter {
  /// Nothing.
  public mutating func appendStart(to buffer: inout RecordBuffer) {}
  /// Nothing.
  public mutating func appendEnd(to buffer: inout RecordBuffer) {}
}
