import LocationKit
import Records

/// The elements of GPX and its extensions that describe a track.
enum GPXElement: Equatable {
  case gpx, track, name, segment, trackPoint, route, routePoint, waypoint, extensions, garminExtension, fix
  /// The value of a member of a location: its index in `members`.
  case value(Int)
  case other

  static let members = RecordMember.location

  /// The element with a name, if it stands within an element where it is defined; else `other`.
  init(_ vocabulary: XMLVocabulary, _ name: UnsafeBufferPointer<UInt8>, in outer: GPXElement?) {
    let known =
      switch vocabulary {
      case .root: Self.ofGPX
      case .own: Self.own
      case .garmin, .osmAnd: Self.ofExtensions
      case .google, .foreign: [] as Names
      }
    self = known.first { name.equals($0.name) }?.element ?? .other
    if !isPlaced(in: outer, vocabulary) { self = .other }
  }

  var isValue: Bool {
    if case .value = self { true } else { self == .fix }
  }

  var kind: SkippedRecord.Kind {
    guard case .value(let index) = self else { return .text }
    return switch Self.members[index].access {
    case .time: .time
    case .text, .flag: .text
    case .angle, .measure, .whole: .number
    }
  }

  var isPoint: Bool { self == .trackPoint || self == .routePoint || self == .waypoint }

  private func isPlaced(in outer: GPXElement?, _ vocabulary: XMLVocabulary) -> Bool {
    switch self {
    case .trackPoint: outer == .segment
    case .routePoint: outer == .route
    case .waypoint, .route, .track: outer == .gpx
    case .name: outer == .track || outer == .waypoint
    case .value where vocabulary == .garmin: outer == .garminExtension
    case .value where vocabulary != .root: true
    // GPX 1.0 has both in a point. Many writers of GPX 1.1 put them into its extensions without a namespace.
    case Self.speed, Self.course: outer?.isPoint == true || outer == .extensions
    case .value, .fix: outer?.isPoint == true
    case .gpx, .segment, .extensions, .garminExtension, .other: true
    }
  }

  private typealias Names = [(name: StaticString, element: GPXElement)]

  private static func value(_ member: StaticString) -> GPXElement {
    members.firstIndex { $0.name.description == member.description }.map { .value($0) } ?? .other
  }

  private static let speed = value("speed")
  private static let course = value("course")
  private static let own: Names = GPXFormatter.extensionMembers.map { ($0.name, value($0.name)) }
  /// Those of Garmin and OsmAnd.
  private static let ofExtensions: Names = [
    ("speed", speed), ("course", course), ("TrackPointExtension", .garminExtension),
  ]
  /// The frequent ones first.
  private static let ofGPX: Names = [
    ("trkpt", .trackPoint), ("time", value("time")), ("ele", value("altitude")), ("extensions", .extensions),
    ("speed", speed), ("course", course), ("sat", value("satellites")), ("hdop", value("hdop")),
    ("vdop", value("vdop")),
    ("pdop", value("pdop")), ("fix", .fix), ("src", value("source")), ("geoidheight", value("geoidSeparation")),
    ("ageofdgpsdata", value("dgpsAge")), ("dgpsid", value("dgpsStation")), ("trkseg", .segment), ("gpx", .gpx),
    ("rtept", .routePoint), ("rte", .route), ("wpt", .waypoint), ("trk", .track), ("name", .name),
  ]
}
