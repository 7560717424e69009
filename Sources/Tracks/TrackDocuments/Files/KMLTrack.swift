import FoundationEssentials
import LocationKit
import Platform
import Records
import Tracks

/// A KML 2.2 document: the track, with times as Google's `gx:Track`, and a place for each stop.
///
/// A segment is a Placemark of its own. Fixes without a time become a LineString, because a `gx:Track` needs times.
/// Google's schema asks for all times of a `gx:Track` before its positions, so the fixes are kept until it ends: 4096
/// at most. A longer segment becomes a `gx:MultiTrack` of several tracks, marked as interpolated, so that it is drawn
/// as one line. Altitudes are above mean sea level, as in KML, and the line is drawn on the ground.
struct KMLTrack: TrackWriter {
  private enum Line {
    case none, timed, untimed
  }

  private struct Point {
    var time: Date
    var coordinate: LocationCoordinate2D
    var altitude: LocationDistance?
  }

  private static let mostPoints = 4096

  private let name: String
  private var line = Line.none
  private var points: [Point] = []
  /// Whether the segment has a `gx:Track` already.
  private var isMultiTrack = false

  init(name: String) { self.name = name }

  func begin(to buffer: inout RecordBuffer) {
    buffer.append(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <kml xmlns="http://www.opengis.net/kml/2.2" xmlns:gx="http://www.google.com/kml/ext/2.2">
      <Document><name>
      """)
    buffer.appendXMLText(name)
    buffer.append(
      """
      </name>
      <Style id="track"><LineStyle><color>ffb4501e</color><width>4</width></LineStyle></Style>

      """)
  }

  mutating func append(_ event: TrackEvent, to buffer: inout RecordBuffer) {
    guard case .fix(let location) = event else {
      if event == .gap { endLine(to: &buffer) }
      return
    }
    guard location.coordinate.isValid else { return }
    let time = location.timestamp.flatMap { RecordBuffer.isWritable($0) ? $0 : nil }
    let kind = time == nil ? Line.untimed : .timed
    if line != kind {
      endLine(to: &buffer)
      buffer.append("<Placemark><name>Track</name><styleUrl>#track</styleUrl>")
      if kind == .untimed { buffer.append("<LineString><tessellate>1</tessellate><coordinates>\n") }
      line = kind
    }
    guard let time else {
      coordinates(location.coordinate, location.altitude, separator: ",", to: &buffer)
      return buffer.append("\n")
    }
    if points.count == Self.mostPoints {
      if !isMultiTrack { buffer.append("<gx:MultiTrack><gx:interpolate>1</gx:interpolate>\n") }
      isMultiTrack = true
      endPoints(to: &buffer)
    }
    points.append(Point(time: time, coordinate: location.coordinate, altitude: location.altitude))
  }

  mutating func end(_ report: TrackReport, to buffer: inout RecordBuffer) {
    endLine(to: &buffer)
    for (index, stop) in report.summary.stops.enumerated() {
      buffer.append(text: "<Placemark><name>Stop \(index + 1)</name><description>\(durationText(stop.duration))")
      buffer.append("</description><TimeSpan><begin>")
      buffer.append(stop.arrival)
      buffer.append("</begin><end>")
      buffer.append(stop.departure)
      buffer.append("</end></TimeSpan><Point><coordinates>")
      coordinates(stop.coordinate, nil, separator: ",", to: &buffer)
      buffer.append("</coordinates></Point></Placemark>\n")
    }
    buffer.append("</Document></kml>\n")
  }

  private mutating func endLine(to buffer: inout RecordBuffer) {
    switch line {
    case .none: break
    case .timed:
      endPoints(to: &buffer)
      buffer.append(isMultiTrack ? "</gx:MultiTrack></Placemark>\n" : "</Placemark>\n")
      isMultiTrack = false
    case .untimed: buffer.append("</coordinates></LineString></Placemark>\n")
    }
    line = .none
  }

  private mutating func endPoints(to buffer: inout RecordBuffer) {
    buffer.append("<gx:Track>\n")
    for point in points {
      buffer.append("<when>")
      buffer.append(point.time)
      buffer.append("</when>\n")
    }
    for point in points {
      buffer.append("<gx:coord>")
      coordinates(point.coordinate, point.altitude, separator: " ", to: &buffer)
      buffer.append("</gx:coord>\n")
    }
    buffer.append("</gx:Track>")
    points.removeAll(keepingCapacity: true)
  }

  private func coordinates(
    _ coordinate: LocationCoordinate2D, _ altitude: LocationDistance?, separator: StaticString,
    to buffer: inout RecordBuffer
  ) {
    buffer.append(coordinate.longitude, places: .angle)
    buffer.append(separator)
    buffer.append(coordinate.latitude, places: .angle)
    guard let altitude, RecordBuffer.isWritable(altitude, places: .measure) else { return }
    buffer.append(separator)
    buffer.append(altitude, places: .measure)
  }
}
