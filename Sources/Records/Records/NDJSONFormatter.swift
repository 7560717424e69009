import FoundationEssentials
import HeadlessMap
import LocationKit

/// JSON lines: one object per line, `type` first. It is the default format of the location stream, and the only one of
/// region logs and region sockets.
package struct NDJSONFormatter: RecordFormatter {
  package init() {}

  package func append(_ location: Location, to buffer: inout RecordBuffer) {
    Self.appendObject(location, to: &buffer)
    buffer.append("\n")
  }

  /// Appends `{"type":"region",…}` for the map's region at a time.
  package func append(_ region: CoordinateRegion, at time: Date?, to buffer: inout RecordBuffer) {
    Self.appendObject(region, at: time, to: &buffer)
    buffer.append("\n")
  }

  package func append(_ crossing: RegionCrossing, to buffer: inout RecordBuffer) {
    buffer.append(#"{"type":"fence""#)
    buffer.appendMembers(of: crossing)
    buffer.append("}\n")
  }

  package func append(_ error: LocationError, to buffer: inout RecordBuffer) {
    buffer.append(#"{"type":"error""#)
    buffer.appendMembers(of: error)
    buffer.append("}\n")
  }

  package func append(dropped count: Int, to buffer: inout RecordBuffer) {
    buffer.append(#"{"type":"dropped","count":"#)
    buffer.append(count)
    buffer.append("}\n")
  }

  /// Appends a location's record without the end of the line, as a value of a document.
  package static func appendObject(_ location: Location, to buffer: inout RecordBuffer) {
    buffer.append(#"{"type":"location""#)
    buffer.appendMembers(of: location)
    buffer.append("}")
  }

  /// Appends a region's record without the end of the line, as a value of a document.
  package static func appendObject(_ region: CoordinateRegion, at time: Date? = nil, to buffer: inout RecordBuffer) {
    buffer.append(#"{"type":"region""#)
    buffer.appendMember("time", time)
    let (center, span) = (region.center, region.span)
    // A region is written only if all its numbers can be written.
    if center.isWritable, RecordBuffer.isWritable(span.latitudeDelta, places: .angle),
      RecordBuffer.isWritable(span.longitudeDelta, places: .angle)
    {
      buffer.appendObject("center") { $0.appendMembers(of: center) }
      buffer.appendObject("span") {
        $0.appendMember("latitudeDelta", span.latitudeDelta, places: .angle)
        $0.appendMember("longitudeDelta", span.longitudeDelta, places: .angle)
      }
    }
    buffer.append("}")
  }
}
