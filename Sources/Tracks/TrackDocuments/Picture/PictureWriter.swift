import LocationKit
import Records
import Tracks

/// Keeps what a picture shows of a track, and draws it at the end. Its memory does not grow with the track.
struct PictureWriter: TrackWriter {
  enum Document {
    /// A picture of its own.
    case svg
    /// A page with the picture, the figures and a table.
    case html
  }

  private let document: Document
  private var picture: TrackPicture
  private var meter = SpeedMeter()

  init(_ document: Document, timeZone: TrackTimeZone, units: MeasurementUnits) {
    self.document = document
    picture = TrackPicture(timeZone: timeZone, units: units)
  }

  func begin(to buffer: inout RecordBuffer) {}

  mutating func append(_ event: TrackEvent, to buffer: inout RecordBuffer) {
    guard case .fix(let location) = event else { return interrupt(isGap: event == .gap) }
    guard location.coordinate.isValid else { return }
    let speed = meter.add(location)
    picture.line.add(location.coordinate, speed: speed)
    guard let time = location.timestamp else { return }
    if let speed { picture.speed.add(speed * picture.units.speed.factor, at: time) }
    if let altitude = location.altitude { picture.altitude.add(altitude * picture.units.height.factor, at: time) }
  }

  mutating func end(_ report: TrackReport, to buffer: inout RecordBuffer) {
    picture.line.finish()
    switch document {
    case .svg: buffer.append(text: picture.svg(report, width: 960, isAlone: true))
    case .html: buffer.append(text: HTMLPage(report: report, picture: picture).text)
    }
  }

  /// A silence interrupts the charts but not the line.
  private mutating func interrupt(isGap: Bool) {
    meter.addGap()
    if isGap { picture.line.addGap() }
    picture.speed.addGap()
    picture.altitude.addGap()
  }
}
