public import FoundationEssentials
public import HeadlessMap
public import LocationKit

/// JSON lines: one object a line, `type` first. The default format of the location stream, and the only one of
/// region logs and region sockets.
public struct NDJSONFormatter: RecordFormatter {
  private var timestamps = TimestampFormatter()

  /// Creates a formatter.
  public init() {}

  /// Appends `{"type":"location",…}`.
  public mutating func append(_ location: Location, to buffer: inout RecordBuffer) {
    buffer.append(#"{"type":"location""#)
    appendLocationMembers(location, to: &buffer)
    buffer.append("}\n")
  }

  /// Appends `{"type":"region",…}` for the map's region at a time.
  public mutating func append(
    _ region: CoordinateRegion, at time: Date?, to buffer: inout RecordBuffer
  ) {
    buffer.append(#"{"type":"region""#)
    appendTime(time, to: &buffer)
    let center = region.center
    let span = region.span
    // One check for all four keeps commas simple: a region without one of its numbers is no region.
    if Self.areWritable(center.latitude, center.longitude)
      && Self.areWritable(span.latitudeDelta, span.longitudeDelta)
    {
      buffer.append(#","center":{"latitude":"#)
      buffer.append(center.latitude, places: .angle)
      buffer.append(#","longitude":"#)
      buffer.append(center.longitude, places: .angle)
      buffer.append(#"},"span":{"latitudeDelta":"#)
      buffer.append(span.latitudeDelta, places: .angle)
      buffer.append(#","longitudeDelta":"#)
      buffer.append(span.longitudeDelta, places: .angle)
      buffer.append("}")
    }
    buffer.append("}\n")
  }

  /// Appends `{"type":"fence",…}`.
  public mutating func append(_ fence: FenceRecord, to buffer: inout RecordBuffer) {
    buffer.append(#"{"type":"fence""#)
    appendFenceMembers(fence, to: &buffer)
    buffer.append("}\n")
  }

  /// Appends `{"type":"error",…}`.
  public mutating func append(_ error: LocationError, to buffer: inout RecordBuffer) {
    buffer.append(#"{"type":"error""#)
    appendErrorMembers(error, to: &buffer)
    buffer.append("}\n")
  }

  /// Appends `{"type":"dropped",…}`.
  public mutating func append(dropped count: Int, to buffer: inout RecordBuffer) {
    buffer.append(#"{"type":"dropped","count":"#)
    buffer.append(count)
    buffer.append("}\n")
  }

  /// Appends everything of a location but its type, each member with its comma in front.
  @inline(__always)
  mutating func appendLocationMembers(_ location: Location, to buffer: inout RecordBuffer) {
    appendTime(location.timestamp, to: &buffer)
    appendCoordinate(location.coordinate, to: &buffer)
    buffer.appendMember(#","altitude":"#, location.altitude, .measure)
    buffer.appendMember(#","ellipsoidalAltitude":"#, location.ellipsoidalAltitude, .measure)
    buffer.appendMember(#","horizontalAccuracy":"#, location.horizontalAccuracy, .measure)
    buffer.appendMember(#","verticalAccuracy":"#, location.verticalAccuracy, .measure)
    buffer.appendMember(#","course":"#, location.course, .measure)
    buffer.appendMember(#","courseAccuracy":"#, location.courseAccuracy, .measure)
    buffer.appendMember(#","speed":"#, location.speed, .measure)
    buffer.appendMember(#","speedAccuracy":"#, location.speedAccuracy, .measure)
    buffer.append(#","mode":"#)
    buffer.append(byte: UInt8(ascii: "0") + location.mode.rawValue)
    buffer.appendMember(#","satellites":"#, location.satellitesUsed)
    if let source = location.sourceInformation {
      buffer.appendMember(#","source":"#, source.device)
      if source.isSimulatedBySoftware {
        buffer.append(#","simulated":true"#)
      } else {
        buffer.append(#","simulated":false"#)
      }
    }
  }

  /// Appends everything of a fence record but its type.
  mutating func appendFenceMembers(_ fence: FenceRecord, to buffer: inout RecordBuffer) {
    appendTime(fence.timestamp, to: &buffer)
    buffer.appendMember(#","fence":"#, fence.fence)
    buffer.appendMember(#","event":"#, fence.event.rawValue)
    appendCoordinate(fence.coordinate, to: &buffer)
  }

  /// Appends everything of an error but its type.
  func appendErrorMembers(_ error: LocationError, to buffer: inout RecordBuffer) {
    buffer.appendMember(#","code":"#, error.code.rawValue)
    buffer.appendMember(#","message":"#, error.message)
  }

  @inline(__always)
  private mutating func appendTime(_ time: Date?, to buffer: inout RecordBuffer) {
    guard let time, TimestampFormatter.isWritable(time) else { return }
    buffer.append(#","time":""#)
    timestamps.append(time, to: &buffer)
    buffer.append("\"")
  }

  @inline(__always)
  private func appendCoordinate(_ coordinate: LocationCoordinate2D, to buffer: inout RecordBuffer) {
    guard Self.areWritable(coordinate.latitude, coordinate.longitude) else { return }
    buffer.append(#","latitude":"#)
    buffer.append(coordinate.latitude, places: .angle)
    buffer.append(#","longitude":"#)
    buffer.append(coordinate.longitude, places: .angle)
  }

  @inline(__always)
  private static func areWritable(_ first: Double, _ second: Double) -> Bool {
    RecordBuffer.isWritable(first, places: .angle)
      && RecordBuffer.isWritable(second, places: .angle)
  }
}
