import LocationKit

/// Turns the records of a location stream into the bytes of one format.
///
/// Every method appends whole records. A record that the format does not have appends nothing. A value that is unknown,
/// not finite or absurdly large is left out. Formatters are pure: they use no clock and no files.
package protocol RecordFormatter: Sendable {
  mutating func appendStart(to buffer: inout RecordBuffer)
  mutating func append(_ location: Location, to buffer: inout RecordBuffer)
  mutating func append(_ crossing: RegionCrossing, to buffer: inout RecordBuffer)
  mutating func append(_ error: LocationError, to buffer: inout RecordBuffer)
  /// Appends a record which says that `count` records were lost here.
  mutating func append(dropped count: Int, to buffer: inout RecordBuffer)
  mutating func appendEnd(to buffer: inout RecordBuffer)
}

extension RecordFormatter {
  package mutating func appendStart(to buffer: inout RecordBuffer) {}
  package mutating func append(_ crossing: RegionCrossing, to buffer: inout RecordBuffer) {}
  package mutating func append(dropped count: Int, to buffer: inout RecordBuffer) {}
  package mutating func appendEnd(to buffer: inout RecordBuffer) {}
}
