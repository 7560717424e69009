import FoundationEssentials
public import LocationKit

/// A GPX 1.1 document of one track.
///
/// `ele` is the height above the sea, `geoidheight` the difference to the height above the ellipsoid. Speed and course
/// are Garmin's TrackPointExtension, which other programs read; what GPX and it have no element for is an element of
/// this program's own namespace. When the fix was lost a new segment begins, as the format wants it. Fences have no
/// place, for way-points would have to stand before the track.
public struct GPXFormatter: RecordFormatter {
  private var timestamps = TimestampFormatter()
  private var beginsSegment: Bool

  /// Creates a formatter; one that continues a document begins with a new segment.
  public init(continuing: Bool = false) {
    beginsSegment = continuing
  }

  /// The namespace of this program's own elements.
  public static let namespace = "urn:x-rxlocationd:gpx:1"

  /// Everything up to the first point.
  public static let start: StaticString = """
    <?xml version="1.0" encoding="UTF-8"?>
    <gpx version="1.1" creator="rxlocationd" xmlns="http://www.topografix.com/GPX/1/1" \
    xmlns:gpxtpx="http://www.garmin.com/xmlschemas/TrackPointExtension/v2" xmlns:rx="urn:x-rxlocationd:gpx:1">
    <trk><trkseg>

    """
  /// The closing tags.
  public static let end: StaticString = "</trkseg></trk></gpx>"
  private static let betweenSegments: StaticString = "</trkseg><trkseg>\n"

  /// Appends everything up to the first point.
  public mutating func appendStart(to buffer: inout RecordBuffer) { buffer.append(Self.start) }

  /// Appends the closing tags.
  public mutating func appendEnd(to buffer: inout RecordBuffer) {
    buffer.append(Self.end)
    buffer.append("\n")
  }

  /// Appends a `trkpt`; nothing for a location without a valid position.
  public mutating func append(_ location: Location, to buffer: inout RecordBuffer) {
    guard location.coordinate.isValid else { return }
    if beginsSegment {
      buffer.append(Self.betweenSegments)
      beginsSegment = false
    }
    buffer.append("<trkpt lat=\"")
    buffer.append(location.coordinate.latitude, places: .angle)
    buffer.append("\" lon=\"")
    // The schema's longitudes end before 180, after rounding too.
    let longitude = location.coordinate.longitude
    buffer.append(longitude >= 179.999_999_999_5 ? -180 : longitude, places: .angle)
    buffer.append("\">")
    append("<ele>", location.altitude, "</ele>", to: &buffer)
    if let time = location.timestamp, TimestampFormatter.isWritable(time) {
      buffer.append("<time>")
      timestamps.append(time, to: &buffer)
      buffer.append("</time>")
    }
    if let altitude = location.altitude, let height = location.ellipsoidalAltitude {
      append("<geoidheight>", height - altitude, "</geoidheight>", to: &buffer)
    }
    if let device = location.sourceInformation?.device {
      buffer.append("<src>")
      buffer.appendXMLText(device)
      buffer.append("</src>")
    }
    switch location.mode {
    case .twoDimensional: buffer.append("<fix>2d</fix>")
    case .threeDimensional: buffer.append("<fix>3d</fix>")
    }
    if let satellites = location.satellitesUsed, satellites >= 0 {
      buffer.append("<sat>")
      buffer.append(satellites)
      buffer.append("</sat>")
    }
    appendExtensions(location, to: &buffer)
    buffer.append("</trkpt>\n")
  }

  /// Nothing.
  public mutating func append(_ fence: FenceRecord, to buffer: inout RecordBuffer) {}

  /// Nothing now; after a lost fix the next point begins a new segment.
  public mutating func append(_ error: LocationError, to buffer: inout RecordBuffer) {
    if error.code == .locationUnknown { beginsSegment = true }
  }

  /// Nothing.
  public mutating func append(dropped count: Int, to buffer: inout RecordBuffer) {}

  private func appendExtensions(_ location: Location, to buffer: inout RecordBuffer) {
    let start = buffer.count
    buffer.append("<extensions>")
    let empty = buffer.count
    appendGarmin(location, to: &buffer)
    append(
      "<rx:ellipsoidalAltitude>", location.ellipsoidalAltitude, "</rx:ellipsoidalAltitude>",
      to: &buffer)
    append(
      "<rx:horizontalAccuracy>", location.horizontalAccuracy, "</rx:horizontalAccuracy>",
      to: &buffer)
    append(
      "<rx:verticalAccuracy>", location.verticalAccuracy, "</rx:verticalAccuracy>", to: &buffer)
    append("<rx:courseAccuracy>", location.courseAccuracy, "</rx:courseAccuracy>", to: &buffer)
    append("<rx:speedAccuracy>", location.speedAccuracy, "</rx:speedAccuracy>", to: &buffer)
    if location.sourceInformation?.isSimulatedBySoftware == true {
      buffer.append("<rx:simulated>true</rx:simulated>")
    }
    if buffer.count == empty {
      buffer.removeLast(buffer.count - start)
    } else {
      buffer.append("</extensions>")
    }
  }

  private func appendGarmin(_ location: Location, to buffer: inout RecordBuffer) {
    // Garmin's course ends before 360, after rounding too.
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
  private func append(
    _ open: StaticString, _ value: Double?, _ close: StaticString, to buffer: inout RecordBuffer
  ) {
    guard let value, RecordBuffer.isWritable(value, places: .measure) else { return }
    buffer.append(open)
    buffer.append(value, places: .measure)
    buffer.append(close)
  }
}
