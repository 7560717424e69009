import LocationKit

/// A GPX 1.1 document of one track.
///
/// `ele` is the height above the sea. `geoidheight` is the geoid separation, or else the difference to the height above
/// the ellipsoid. `fix` is `dgps` with differential corrections of any kind, and `pps` with the encrypted signal. Speed
/// and course are elements of Garmin's TrackPointExtension, which other programs read. Members without an element in
/// either are elements of this program's own namespace. A new segment begins when the fix was lost, as the format asks.
/// Fences are left out, because way-points would have to come before the track.
package struct GPXFormatter: RecordFormatter {
  private var beginsSegment = false

  package init() {}

  /// The members for which neither GPX nor Garmin has an element.
  package static let extensionMembers: [RecordMember<Location>] = {
    let standardNames = [
      "time", "latitude", "longitude", "altitude", "course", "speed", "mode", "satellites", "hdop", "vdop", "pdop",
      "geoidSeparation", "dgpsAge", "dgpsStation", "source",
    ]
    return RecordMember.location.filter { !$0.isKeptOnly && !standardNames.contains("\($0.name)") }
  }()

  private static let start: StaticString = """
    <?xml version="1.0" encoding="UTF-8"?>
    <gpx version="1.1" creator="rxlocationd" xmlns="http://www.topografix.com/GPX/1/1" \
    xmlns:gpxtpx="http://www.garmin.com/xmlschemas/TrackPointExtension/v2" xmlns:rx="urn:x-rxlocationd:gpx:1">
    <trk><trkseg>

    """
  private static let betweenSegments: StaticString = "</trkseg><trkseg>\n"

  package mutating func appendStart(to buffer: inout RecordBuffer) { buffer.append(Self.start) }

  package mutating func appendEnd(to buffer: inout RecordBuffer) { buffer.append("</trkseg></trk></gpx>\n") }

  /// Appends a `trkpt`, or nothing for a location without a valid position.
  package mutating func append(_ location: Location, to buffer: inout RecordBuffer) {
    guard location.coordinate.isValid else { return }
    if beginsSegment {
      buffer.append(Self.betweenSegments)
      beginsSegment = false
    }
    buffer.append("<trkpt lat=\"")
    buffer.append(location.coordinate.latitude, places: .angle)
    buffer.append("\" lon=\"")
    // The schema's longitudes end before 180, also after rounding.
    let longitude = location.coordinate.longitude
    buffer.append(longitude >= 179.999_999_999_5 ? -180 : longitude, places: .angle)
    buffer.append("\">")
    append("<ele>", location.altitude, "</ele>", to: &buffer)
    let time = location.timestamp.flatMap { RecordBuffer.isWritable($0) ? $0 : nil }
    append("<time>", time, "</time>", to: &buffer) { $0.append($1) }
    append("<geoidheight>", location.geoidHeight, "</geoidheight>", to: &buffer)
    append("<src>", location.sourceInformation?.device, "</src>", to: &buffer) { $0.appendXMLText($1) }
    switch (location.quality?.status, location.mode) {
    case (let status?, _) where status.isDifferential: buffer.append("<fix>dgps</fix>")
    case (.precise, _): buffer.append("<fix>pps</fix>")
    case (_, .twoDimensional): buffer.append("<fix>2d</fix>")
    case (_, .threeDimensional): buffer.append("<fix>3d</fix>")
    }
    let satellites = location.satellitesUsed.flatMap { $0 >= 0 ? $0 : nil }
    append("<sat>", satellites, "</sat>", to: &buffer) { $0.append($1) }
    append("<hdop>", location.quality?.hdop, "</hdop>", to: &buffer)
    append("<vdop>", location.quality?.vdop, "</vdop>", to: &buffer)
    append("<pdop>", location.quality?.pdop, "</pdop>", to: &buffer)
    append("<ageofdgpsdata>", location.quality?.dgpsAge, "</ageofdgpsdata>", to: &buffer)
    // The schema limits stations to this range.
    let station = location.quality?.dgpsStation.flatMap { 0...1023 ~= $0 ? $0 : nil }
    append("<dgpsid>", station, "</dgpsid>", to: &buffer) { $0.append($1) }
    appendExtensions(location, to: &buffer)
    buffer.append("</trkpt>\n")
  }

  /// Appends nothing; after a lost fix the next point begins a new segment.
  package mutating func append(_ error: LocationError, to buffer: inout RecordBuffer) {
    if error.code == .locationUnknown { beginsSegment = true }
  }

  private func appendExtensions(_ location: Location, to buffer: inout RecordBuffer) {
    let start = buffer.count
    buffer.append("<extensions>")
    let empty = buffer.count
    appendGarmin(location, to: &buffer)
    for member in Self.extensionMembers { append(member, of: location, to: &buffer) }
    if buffer.count == empty {
      buffer.removeLast(buffer.count - start)
    } else {
      buffer.append("</extensions>")
    }
  }

  private func append(_ member: RecordMember<Location>, of location: Location, to buffer: inout RecordBuffer) {
    // Values that are false are left out.
    if case .flag(let get, _) = member.access, get(location) != true { return }
    let start = buffer.count
    buffer.append("<rx:")
    buffer.append(member.name)
    buffer.append(">")
    guard buffer.appendValue(of: member, in: location, text: { $0.appendXMLText($1) }) else {
      return buffer.removeLast(buffer.count - start)
    }
    buffer.append("</rx:")
    buffer.append(member.name)
    buffer.append(">")
  }

  private func appendGarmin(_ location: Location, to buffer: inout RecordBuffer) {
    // Garmin's course ends before 360, also after rounding.
    let course = location.course.map { $0 >= 359.999_95 && $0 <= 360 ? 0 : $0 }
    let isCourse = course.map { $0 >= 0 && $0 < 360 } ?? false
    let isSpeed = location.speed.map { RecordBuffer.isWritable($0, places: .measure) } ?? false
    guard isCourse || isSpeed else { return }
    buffer.append("<gpxtpx:TrackPointExtension>")
    append("<gpxtpx:speed>", location.speed, "</gpxtpx:speed>", to: &buffer)
    if isCourse { append("<gpxtpx:course>", course, "</gpxtpx:course>", to: &buffer) }
    buffer.append("</gpxtpx:TrackPointExtension>")
  }

  @inline(__always)
  private func append(_ open: StaticString, _ value: Double?, _ close: StaticString, to buffer: inout RecordBuffer) {
    guard let value, RecordBuffer.isWritable(value, places: .measure) else { return }
    append(open, value, close, to: &buffer) { $0.append($1, places: .measure) }
  }

  @inline(__always)
  private func append<Value>(
    _ open: StaticString, _ value: Value?, _ close: StaticString, to buffer: inout RecordBuffer,
    _ body: (inout RecordBuffer, Value) -> Void
  ) {
    guard let value else { return }
    buffer.append(open)
    body(&buffer, value)
    buffer.append(close)
  }
}

extension Location {
  var geoidHeight: Double? {
    if let separation = quality?.geoidSeparation { return separation }
    guard let altitude, let ellipsoidalAltitude else { return nil }
    return ellipsoidalAltitude - altitude
  }
}
