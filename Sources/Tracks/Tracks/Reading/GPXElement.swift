import Records

/// The elements of GPX and its extensions that describe a track.
enum GPXElement: Equatable {
  case gpx, segment, trackPoint, route, routePoint, waypoint, extensions, garminExtension
  case elevation, time, geoidHeight, source, fix, satellites, speed, course
  case hdop, vdop, pdop, dgpsAge, dgpsStation
  /// An element of this program's namespace: its index in `GPXFormatter.extensionMembers`.
  case own(Int)
  case other

  /// The element with a name, if it stands within an element where it is defined; else `other`.
  init(_ vocabulary: XMLVocabulary, _ name: UnsafeBufferPointer<UInt8>, in outer: GPXElement?) {
    self =
      switch vocabulary {
      case .root: Self.ofGPX(name)
      case .own: GPXFormatter.extensionMembers.firstIndex { name.equals($0.name) }.map { .own($0) } ?? .other
      case .garmin where name.equals("TrackPointExtension"): .garminExtension
      case .garmin, .osmAnd: name.equals("speed") ? .speed : name.equals("course") ? .course : .other
      case .google, .foreign: .other
      }
    if !isPlaced(in: outer, vocabulary) { self = .other }
  }

  var isValue: Bool {
    switch self {
    case .gpx, .segment, .trackPoint, .route, .routePoint, .waypoint, .extensions, .garminExtension, .other: false
    default: true
    }
  }

  var isPoint: Bool { self == .trackPoint || self == .routePoint || self == .waypoint }

  private func isPlaced(in outer: GPXElement?, _ vocabulary: XMLVocabulary) -> Bool {
    switch self {
    case .trackPoint: outer == .segment
    case .routePoint: outer == .route
    case .waypoint, .route: outer == .gpx
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

  private static func ofGPX(_ name: UnsafeBufferPointer<UInt8>) -> GPXElement {
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
    case 10: if name.equals("extensions") { return .extensions }
    case 11: if name.equals("geoidheight") { return .geoidHeight }
    case 13: if name.equals("ageofdgpsdata") { return .dgpsAge }
    default: break
    }
    return .other
  }
}
