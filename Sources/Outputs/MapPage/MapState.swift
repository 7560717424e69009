import FoundationEssentials
import Records
import HeadlessMap
import LocationKit
import Platform

/// Everything that the page shows, and how it is written as JSON. MAP members have the names of the location stream.
struct MapState: Sendable {
  /// What the daemon knows of the fix.
  enum Fix: String, Sendable {
    /// The receiver says that it has none, or has never had one.
    case none
    case current
    /// None came for too long.
    case stale
  }

  /// What the daemon follows.
  struct Source: Sendable, Equatable {
    var name: String
    var kind: MapPage.Configuration.Kind
    var status = "waiting"
    var message = ""
  }

  struct Fence: Sendable, Equatable {
    var region: CircularRegion
    var state = RegionState.unknown
  }

  var version: String
  var staleAfter = 10.0
  var source: Source
  var fix = Fix.none
  /// When the last fix came, in seconds of the monotonic clock.
  var fixTime: Double?
  var location: Location?
  var satellites: [Satellite] = []
  var fences: [Fence] = []
  var region: CoordinateRegion?
  var trail = TrailLine()
  var tiles: MapTiles?
  /// What to do about Leaflet; `nil` when it is there.
  var help: String?
  /// Figures of a recording, by name, in place of what is live.
  var summary: [(name: String, value: String)] = []
  /// Where a recording began, stopped and ended.
  var places: [MapRecording.Place] = []

  /// Whether the trail is on the map.
  var showsTrail = false
}

/// A text of JSON in the making.
struct MapWriter: ~Copyable {
  private var buffer: RecordBuffer
  private var formatter = NDJSONFormatter()
  private var timestamps = TimestampFormatter()

  private init(capacity: Int) {
    buffer = RecordBuffer(capacity: capacity)
  }

  /// The bytes that `write` writes.
  static func bytes(capacity: Int = 512, _ write: (inout MapWriter) -> Void) -> [UInt8] {
    var writer = MapWriter(capacity: capacity)
    write(&writer)
    return writer.buffer.withUnsafeBytes { Array($0) }
  }

  mutating func text(_ text: StaticString) { buffer.append(text) }

  mutating func string(_ text: String) { buffer.appendJSONString(text) }

  mutating func number(_ value: Double, _ places: DecimalPlaces) {
    if !buffer.append(value, places: places) { buffer.append("null") }
  }

  mutating func number(_ value: Int) { buffer.append(value) }

  mutating func time(_ time: Date) {
    buffer.append("\"")
    timestamps.append(time, to: &buffer)
    buffer.append("\"")
  }

  /// A location's record without its line feed.
  mutating func record(_ location: Location) {
    formatter.append(location, to: &buffer)
    buffer.removeLast(1)
  }

  /// A region's record without its line feed.
  mutating func record(_ region: CoordinateRegion) {
    formatter.append(region, at: nil, to: &buffer)
    buffer.removeLast(1)
  }

  /// Elements with commas between them.
  mutating func list<Element>(_ elements: some Sequence<Element>, _ write: (inout MapWriter, Element) -> Void) {
    buffer.append("[")
    var isFirst = true
    for element in elements {
      if !isFirst { buffer.append(",") }
      isFirst = false
      write(&self, element)
    }
    buffer.append("]")
  }
}

extension MapState {
  /// The whole, for `/state.json` and the first event.
  var json: [UInt8] {
    MapWriter.bytes(capacity: 4096 + 48 * trail.points.count) { writer in
      writer.text(#"{"version":"#)
      writer.string(version)
      writer.text(#","now":"#)
      writer.time(Date())
      writer.text(#","staleAfter":"#)
      writer.number(staleAfter, .measure)
      writer.text(",")
      writeStatus(to: &writer)
      if let location {
        writer.text(#","location":"#)
        writer.record(location)
      }
      writer.text(#","satellites":"#)
      writeSatellites(to: &writer)
      writer.text(#","fences":"#)
      writeFences(to: &writer)
      if let region {
        writer.text(#","region":"#)
        writer.record(region)
      }
      writer.text(#","trail":"#)
      writeTrail(to: &writer)
      if let tiles {
        writer.text(#","tiles":"#)
        tiles.write(to: &writer)
      }
      if !summary.isEmpty {
        writer.text(#","summary":"#)
        writer.list(summary) { writer, figure in
          writer.list([figure.name, figure.value]) { $0.string($1) }
        }
        writer.text(#","places":"#)
        writePlaces(to: &writer)
      }
      if let help {
        writer.text(#","leaflet":false,"help":"#)
        writer.string(help)
        writer.text("}")
      } else {
        writer.text(#","leaflet":true}"#)
      }
    }
  }

  /// `"source":…,"fix":…` and `"age":…`, without braces.
  func writeStatus(to writer: inout MapWriter) {
    writer.text(#""source":{"name":"#)
    writer.string(source.name)
    writer.text(#","kind":"#)
    writer.string(source.kind.rawValue)
    writer.text(#","status":"#)
    writer.string(source.status)
    writer.text(#","message":"#)
    writer.string(source.message)
    writer.text(#"},"fix":"#)
    writer.string(fix.rawValue)
    if let fixTime {
      writer.text(#","age":"#)
      writer.number(max(0, monotonicSeconds() - fixTime), .measure)
    }
  }

  func writeSatellites(to writer: inout MapWriter) {
    writer.list(satellites) { writer, satellite in
      writer.text(#"{"system":"#)
      writer.string(satellite.system.rawValue)
      writer.text(#","number":"#)
      writer.number(satellite.number)
      if let azimuth = satellite.azimuth {
        writer.text(#","azimuth":"#)
        writer.number(azimuth, .measure)
      }
      if let elevation = satellite.elevation {
        writer.text(#","elevation":"#)
        writer.number(elevation, .measure)
      }
      if let signal = satellite.signal {
        writer.text(#","signal":"#)
        writer.number(signal, .measure)
      }
      writer.text(satellite.isUsed ? #","used":true}"# : #","used":false}"#)
    }
  }

  func writeFences(to writer: inout MapWriter) {
    writer.list(fences) { writer, fence in
      writer.text(#"{"id":"#)
      writer.string(fence.region.identifier)
      writer.text(#","latitude":"#)
      writer.number(fence.region.center.latitude, .angle)
      writer.text(#","longitude":"#)
      writer.number(fence.region.center.longitude, .angle)
      writer.text(#","radius":"#)
      writer.number(fence.region.radius, .measure)
      writer.text(#","state":"#)
      writer.string(fence.state.rawValue)
      writer.text("}")
    }
  }

  private func writePlaces(to writer: inout MapWriter) {
    writer.list(places) { writer, place in
      writer.text(#"{"name":"#)
      writer.string(place.name)
      writer.text(#","kind":"#)
      writer.string(place.kind.rawValue)
      writer.text(#","latitude":"#)
      writer.number(place.coordinate.latitude, .angle)
      writer.text(#","longitude":"#)
      writer.number(place.coordinate.longitude, .angle)
      writer.text("}")
    }
  }

  private func writeTrail(to writer: inout MapWriter) {
    writer.list(showsTrail ? trail.points : []) { writer, point in
      if point.isAfterBreak { writer.text("null,") }
      writer.text("[")
      writer.number(point.coordinate.latitude, .angle)
      writer.text(",")
      writer.number(point.coordinate.longitude, .angle)
      writer.text(",")
      if let speed = point.speed { writer.number(speed, .measure) } else { writer.text("null") }
      writer.text(",")
      if let time = point.time { writer.number(time, .measure) } else { writer.text("null") }
      writer.text("]")
    }
  }
}
