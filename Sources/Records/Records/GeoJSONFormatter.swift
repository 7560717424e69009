import LocationKit

/// A GeoJSON text sequence (RFC 8142): each record a Feature (RFC 7946) between a record separator and a newline.
///
/// A Feature's properties are the members of the NDJSON record. Its third coordinate is the height above the ellipsoid,
/// as in RFC 7946, so a location with only a height above the sea has two. An error and a loss have no position: their
/// geometry is null.
package struct GeoJSONFormatter: RecordFormatter {
  package init() {}

  package func append(_ location: Location, to buffer: inout RecordBuffer) {
    appendHead(location.coordinate, location.ellipsoidalAltitude, to: &buffer)
    buffer.append(#"location""#)
    buffer.appendMembers(of: location)
    buffer.append("}}\n")
  }

  package func append(_ crossing: RegionCrossing, to buffer: inout RecordBuffer) {
    appendHead(crossing.location.coordinate, nil, to: &buffer)
    buffer.append(#"fence""#)
    buffer.appendMembers(of: crossing)
    buffer.append("}}\n")
  }

  package func append(_ error: LocationError, to buffer: inout RecordBuffer) {
    appendHead(nil, nil, to: &buffer)
    buffer.append(#"error""#)
    buffer.appendMembers(of: error)
    buffer.append("}}\n")
  }

  package func append(dropped count: Int, to buffer: inout RecordBuffer) {
    appendHead(nil, nil, to: &buffer)
    buffer.append(#"dropped","count":"#)
    buffer.append(count)
    buffer.append("}}\n")
  }

  /// Appends a Feature without a position whose properties are the record of JSON lines that `append` writes.
  package static func appendFeature(to buffer: inout RecordBuffer, _ append: (inout RecordBuffer) -> Void) {
    buffer.append("\u{1E}{\"type\":\"Feature\",\"geometry\":null,\"properties\":")
    append(&buffer)
    // The record's line feed.
    buffer.removeLast(1)
    buffer.append("}\n")
  }

  private func appendHead(
    _ coordinate: LocationCoordinate2D?, _ height: LocationDistance?, to buffer: inout RecordBuffer
  ) {
    buffer.append("\u{1E}{\"type\":\"Feature\",\"geometry\":")
    if let coordinate, coordinate.isValid {
      buffer.append(#"{"type":"Point","coordinates":"#)
      buffer.appendPosition(coordinate, height: height)
      buffer.append("}")
    } else {
      buffer.append("null")
    }
    buffer.append(#","properties":{"type":""#)
  }
}

extension RecordBuffer {
  /// Appends a position as in GeoJSON: longitude, latitude, and the height above the ellipsoid if it is known.
  package mutating func appendPosition(_ coordinate: LocationCoordinate2D, height: LocationDistance? = nil) {
    append("[")
    append(coordinate.longitude, places: .angle)
    append(",")
    append(coordinate.latitude, places: .angle)
    if let height, Self.isWritable(height, places: .measure) {
      append(",")
      append(height, places: .measure)
    }
    append("]")
  }
}
