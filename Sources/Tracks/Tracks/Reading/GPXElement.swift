import CExpat
import Records

/// The elements of GPX and its extensions that say something of a track, by their local names.
enum GPXElement: Equatable {
  case gpx, segment, trackPoint, route, routePoint, waypoint
  case elevation, time, geoidHeight, source, fix, satellites, speed, course
  case hdop, vdop, pdop, dgpsAge, dgpsStation
  /// One of this program's own: which of `GPXFormatter.extensionMembers` it holds.
  case own(Int)
  case other

  init(_ name: UnsafePointer<XML_Char>) {
    self = name.withLocalName(Self.named)
  }

  /// Whether its text is a value.
  var isValue: Bool {
    switch self {
    case .gpx, .segment, .trackPoint, .route, .routePoint, .waypoint, .other: false
    default: true
    }
  }

  /// Whether it is a point of any kind.
  var isPoint: Bool { self == .trackPoint || self == .routePoint || self == .waypoint }

  /// Whether an element of it is a point within one of another kind.
  func isPoint(in outer: GPXElement?) -> Bool {
    switch (self, outer) {
    case (.trackPoint, .segment), (.routePoint, .route), (.waypoint, .gpx): true
    default: false
    }
  }

  private static func named(_ name: UnsafeBufferPointer<UInt8>) -> GPXElement {
    switch name.count {
    case 3:
      if name.equals("ele") { return .elevation }
      if name.equals("fix") { return .fix }
      if name.equals("sat") { return .satellites }
      if name.equals("src") { return .source }
      if name.equals("gpx") { return .gpx }
      if name.equals("wpt") { return .waypoint }
      if name.equals("rte") { return .route }
    case 4:
      if name.equals("time") { return .time }
      if name.equals("hdop") { return .hdop }
      if name.equals("vdop") { return .vdop }
      if name.equals("pdop") { return .pdop }
    case 5:
      if name.equals("trkpt") { return .trackPoint }
      if name.equals("rtept") { return .routePoint }
      if name.equals("speed") { return .speed }
    case 6:
      if name.equals("course") { return .course }
      if name.equals("dgpsid") { return .dgpsStation }
      if name.equals("trkseg") { return .segment }
    case 11: if name.equals("geoidheight") { return .geoidHeight }
    case 13: if name.equals("ageofdgpsdata") { return .dgpsAge }
    default: break
    }
    return GPXFormatter.extensionMembers.firstIndex { name.equals($0.name) }.map { .own($0) } ?? .other
  }
}
