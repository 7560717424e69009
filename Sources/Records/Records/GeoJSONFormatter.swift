public import LocationKit

/// A GeoJSON text sequence (RFC 8142): each record a Feature (RFC 7946) between a record separator and a newline.
///
/// A Feature's properties are the members of the NDJSON record. Its third coordinate is the height above the
/// ellipsoid, as RFC 7946 wants it, so a location of which only the height above the sea is known has two. An error
/// and a loss have no place: their geometry is null.
public struct GeoJSONFormatter: RecordFormatter {
  private var members = NDJSONFormatter()

  /// Creates a formatter.
  public init() {}

  /// Appends a Point with `"type":"location"` in its properties.
  public mutating func append(_ location: Location, to buffer: inout RecordBuffer) {
    appendHead(location.coordinate, location.ellipsoidalAltitude, to: &buffer)
    buffer.append(#"location""#)
    members.appendLocationMembers(location, to: &buffer)
    buffer.append("}}\n")
  }

  /// Appends a Point with `"type":"fence"` in its properties: where the crossing was noticed.
  public mutating func append(_ fence: FenceRecord, to buffer: inout RecordBuffer) {
    appendHead(fence.coordinate, nil, to: &buffer)
    buffer.append(#"fence""#)
    members.appendFenceMembers(fence, to: &buffer)
    buffer.append("}}\n")
  }

  /// Appends a Feature without a place and with `"type":"error"` in its properties.
  public mutating func append(_ error: LocationError, to buffer: inout RecordBuffer) {
    appendHead(nil, nil, to: &buffer)
    buffer.append(#"error""#)
    members.appendErrorMembers(error, to: &buffer)
    buffer.append("}}\n")
  }

  /// Appends a Feature without a place and with `"type":"dropped"` in its properties.
  public mutating func append(dropped count: Int, to buffer: inout RecordBuffer) {
    appendHead(nil, nil, to: &buffer)
    buffer.append(#"dropped","count":"#)
    buffer.append(count)
    buffer.append("}}\n")
  }

  /// Up to the opening quote of the properties' type.
  private func appendHead(
    _ coordinate: LocationCoordinate2D?, _ height: LocationDistance?, to buffer: inout RecordBuffer
  ) {
    buffer.append("\u{1E}{\"type\":\"Feature\",\"geometry\":")
    if let coordinate, coordinate.isValid {
      buffer.append(#"{"type":"Point","coordinates":["#)
      buffer.append(coordinate.longitude, places: .angle)
      buffer.append(",")
      buffer.append(coordinate.latitude, places: .angle)
      buffer.appendMember(",", height, .measure)
      buffer.append("]}")
    } else {
      buffer.append("null")
    }
    buffer.append(#","properties":{"type":""#)
  }
}
