public import LocationKit

/// Comma-separated values: a header, then a line for each location. Fields are quoted by RFC 4180 where they need it,
/// lines end with a newline as other tools here expect. What is unknown is empty; other records have no place.
public struct CSVFormatter: RecordFormatter {
  private let members = RecordMember.location.filter { !$0.isKeptOnly }

  /// Creates a formatter.
  public init() {}

  /// Appends the header.
  public func appendStart(to buffer: inout RecordBuffer) {
    for (index, member) in members.enumerated() {
      if index > 0 { buffer.append(",") }
      buffer.append(member.name)
    }
    buffer.append("\n")
  }

  /// Appends a line.
  public func append(_ location: Location, to buffer: inout RecordBuffer) {
    for (index, member) in members.enumerated() {
      if index > 0 { buffer.append(",") }
      buffer.appendValue(of: member, in: location) { $0.appendCSVField($1) }
    }
    buffer.append("\n")
  }

  /// Nothing.
  public func append(_ crossing: RegionCrossing, to buffer: inout RecordBuffer) {}

  /// Nothing.
  public func append(_ error: LocationError, to buffer: inout RecordBuffer) {}

  /// Nothing.
  public func append(dropped count: Int, to buffer: inout RecordBuffer) {}
}
