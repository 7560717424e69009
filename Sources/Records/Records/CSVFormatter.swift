import LocationKit

/// Comma-separated values: a header, then a line for each location. Fields are quoted as in RFC 4180 if necessary;
/// lines end with a line feed, as other tools here expect. Unknown values are empty. Records of other types are left
/// out.
///
/// The last column is the number of the segment, from 1. A new segment begins when the fix was lost, as in GPX. So
/// every line is a location, and other programs need no special rule for gaps.
package struct CSVFormatter: RecordFormatter {
  private let members = RecordMember.location.filter { !$0.isKeptOnly }
  /// The number of the segment; 0 before the first location.
  private var segment = 0
  private var beginsSegment = true

  package init() {}

  package func appendStart(to buffer: inout RecordBuffer) {
    for member in members {
      buffer.append(member.name)
      buffer.append(",")
    }
    buffer.append("segment\n")
  }

  package mutating func append(_ location: Location, to buffer: inout RecordBuffer) {
    if beginsSegment { segment += 1 }
    beginsSegment = false
    for member in members {
      buffer.appendValue(of: member, in: location) { $0.appendCSVField($1) }
      buffer.append(",")
    }
    buffer.append(segment)
    buffer.append("\n")
  }

  package mutating func append(_ error: LocationError, to buffer: inout RecordBuffer) {
    if error.code == .locationUnknown { beginsSegment = true }
  }
}
