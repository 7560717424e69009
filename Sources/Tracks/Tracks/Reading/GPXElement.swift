import Records

/// The elements of GPX and its extensions that describe a track.
enum GPXElement: Equatable {
  case gpx, track, name, segment, trackPoint, route, routePoint, waypoint, extensions, garminExtension
  case elevation, time, geoidHeight, source, fix, satellites, speed, course
  case hdop, vdop, pdop, dgpsAge, dgpsStation
  /// An element of this program's namespace: its index in `GPXFormatter.extensionMembers`.
  case own(Int)
  case other

  /// The element with a name, if it stands within an element where it is defined; else `other`.
  init(_ vocabulary: XMLVocabulary, _ name: UnsafeBufferPointer<UInt8>, in outer: GPXElement?) {
    self =
      switch vocabulary {
      case .root: Self.ofGPX.first { name.equals($0.name) }?.element ?? .other
      case .own: GPXFormatter.extensionMembers.firstIndex { name.equals($0.name) }.map { .own($0) } ?? .other
      case .garmin where name.equals("TrackPointExtension"): .garminExtension
      case .garmin, .osmAnd: name.equals("speed") ? .speed : name.equals("course") ? .course : .other
      case .google, .foreign: .other
      }
    if !isPlaced(in: outer, vocabulary) { self = .other }
  }

  var isValue: Bool {
    switch self {
    case .gpx, .track, .name, .segment, .trackPoint, .route, .routePoint, .waypoint, .extensions, .garminExtension,
      .other:
      false
    default: true
    }
  }

  var isPoint: Bool { self == .trackPoint || self == .routePoint || self == .waypoint }

  private func isPlaced(in outer: GPXElement?, _ vocabulary: XMLVocabulary) -> Bool {
    switch self {
    case .trackPoint: outer == .segment
    case .routePoint: outer == .route
    case .waypoint, .route, .track: outer == .gpx
    case .name: outer == .track || outer == .waypoint
    // GPX 1.0 has both in a point. Many writers of GPX 1.1 put them into its extensions without a namespace.
    case .speed, .course:
      switch vocabulary {
      case .root: outer?.isPoint == true || outer == .extensions
      case .garmin: outer == .garminExtension
      default: true
      }
    case .own, .garminExtension, .other: true
    default: !isValue || outer?.isPoint == true
    }
  }

  /// The elements of GPX by name, the frequent ones first.
  private static let ofGPX: [(name: StaticString, element: GPXElement)] = [
    ("trkpt", .trackPoint), ("time", .time), ("ele", .elevation), ("extensions", .extensions), ("speed", .speed),
    ("course", .course), ("sat", .satellites), ("hdop", .hdop), ("vdop", .vdop), ("pdop", .pdop), ("fix", .fix),
    ("src", .source), ("geoidheight", .geoidHeight), ("ageofdgpsdata", .dgpsAge), ("dgpsid", .dgpsStation),
    ("trkseg", .segment), ("gpx", .gpx), ("rtept", .routePoint), ("rte", .route), ("wpt", .waypoint),
    ("trk", .track), ("name", .name),
  ]
}
