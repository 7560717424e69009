import FoundationEssentials
import LocationKit
import Records
import Tracks

/// A KML 2.2 document: the track, with times as Google's `gx:Track`, and a place for each stop.
///
/// A segment is a Placemark of its own. Fixes without a time are a LineString, because a `gx:Track` needs times. Each
/// time stands before its coordinate, so that nothing has to be kept; Google Earth and gpsbabel read it so. Altitudes
/// are above mean sea level, as KML wants them, and the line is drawn on the ground.
struct KMLTrack: TrackWriter {
  /// What the line is that is being written.
  private enum Line {
    case none, timed, untimed
  }

  private let name: String
  private var line = Line.none

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
    guard case .fix(let location) = event else { return endLine(to: &buffer) }
    guard location.coordinate.isValid else { return }
    let time = location.timestamp.flatMap { RecordBuffer.isWritable($0) ? $0 : nil }
    let kind = time == nil ? Line.untimed : .timed
    if line != kind {
      endLine(to: &buffer)
      buffer.append("<Placemark><name>Track</name><styleUrl>#track</styleUrl>")
      buffer.append(kind == .timed ? "<gx:Track>\n" : "<LineString><tessellate>1</tessellate><coordinates>\n")
      line = kind
    }
    if let time {
      buffer.append("<when>")
      buffer.append(time)
      buffer.append("</when><gx:coord>")
      coordinates(location, separator: " ", to: &buffer)
      buffer.append("</gx:coord>\n")
    } else {
      coordinates(location, separator: ",", to: &buffer)
      buffer.append("\n")
    }
  }

  mutating func end(_ report: TrackReport, to buffer: inout RecordBuffer) {
    endLine(to: &buffer)
    for (index, stop) in report.summary.stops.enumerated() {
      buffer.append("<Placemark><name>Stop ")
      buffer.append(index + 1)
      buffer.append("</name><description>")
      buffer.append(text: Words.duration(stop.duration))
      buffer.append("</description><TimeSpan><begin>")
      buffer.append(stop.arrival)
      buffer.append("</begin><end>")
      buffer.append(stop.departure)
      buffer.append("</end></TimeSpan><Point><coordinates>")
      coordinates(Location(coordinate: stop.coordinate), separator: ",", to: &buffer)
      buffer.append("</coordinates></Point></Placemark>\n")
    }
    buffer.append("</Document></kml>\n")
  }

  private mutating func endLine(to buffer: inout RecordBuffer) {
    switch line {
    case .none: break
    case .timed: buffer.append("</gx:Track></Placemark>\n")
    case .untimed: buffer.append("</coordinates></LineString></Placemark>\n")
    }
    line = .none
  }

  private func coordinates(_ location: Location, separator: StaticString, to buffer: inout RecordBuffer) {
    buffer.append(location.coordinate.longitude, places: .angle)
    buffer.append(separator)
    buffer.append(location.coordinate.latitude, places: .angle)
    guard let altitude = location.altitude, RecordBuffer.isWritable(altitude, places: .measure) else { return }
    buffer.append(separator)
    buffer.append(altitude, places: .measure)
  }
}
