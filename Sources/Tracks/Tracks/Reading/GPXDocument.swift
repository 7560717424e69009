import CExpat
import LocationKit
import Platform
import Records

/// The events that expat reports of a GPX file, turned into records.
///
/// An element counts in the namespaces and at the places where GPX has it: `speed` is an element of GPX 1.0 or of
/// Garmin's TrackPointExtension. The names in this program's own namespace are those of its records. An unreadable
/// value costs that value, not the point.
struct GPXDocument {
  /// The number of records of routes, and of waypoints, that are kept for a file without a track; further ones are left
  /// out.
  private static let mostKept = 1 << 17

  var xml: XMLContext
  private var path: [GPXElement] = []
  /// The current track point; `nil` outside of a point, and within one that is skipped.
  private var point: GPXPoint?
  private var waypointName: String?
  /// The records of routes and waypoints, until there is a track. GPX has them before tracks.
  private var routes: [DecodedRecord] = []
  private var waypoints: [DecodedRecord] = []
  private var hasTrack = false

  init(_ xml: XMLContext) { self.xml = xml }

  private mutating func skipPoint(_ words: String) {
    point = nil
    report(RecordFault(.position, words))
  }

  private mutating func report(_ fault: RecordFault) {
    forward(.skipped(fault, line: xml.line()), of: path.last { $0.isPoint } ?? .trackPoint)
  }

  /// Keeps records outside tracks for the end of a file without a track.
  private mutating func forward(_ record: DecodedRecord, of element: GPXElement) {
    switch element {
    case .routePoint, .route: if !hasTrack, routes.count < Self.mostKept { routes.append(record) }
    case .waypoint: if !hasTrack, waypoints.count < Self.mostKept { waypoints.append(record) }
    default: xml.records.append(record)
    }
  }

  mutating func start(_ name: UnsafePointer<XML_Char>, _ attributes: UnsafeMutablePointer<UnsafePointer<XML_Char>?>) {
    let element = xml.namespaces.begin(name, attributes) { GPXElement($0, $1, in: path.last) }
    if path.isEmpty, element != .gpx {
      let root = String(cString: name)
      return xml.fail(
        root == "svg" || root == "html"
          ? "is a picture or a page without fixes; read the recording that it was made from"
          : "is neither GPX nor KML: its root is '\(root.prefix(40))'")
    }
    guard xml.isAllowed(depth: path.count) else { return }
    path.append(element)
    if element == .trackPoint, !hasTrack {
      hasTrack = true
      (routes, waypoints) = ([], [])
    }
    if element.isPoint, element == .trackPoint || !hasTrack { startPoint(attributes) }
    xml.clearText()
  }

  mutating func add(_ bytes: UnsafeBufferPointer<UInt8>) {
    if path.last == .name || point != nil && path.last?.isValue == true { xml.append(bytes) }
  }

  mutating func end() {
    guard let element = path.popLast() else { return }
    xml.namespaces.end()
    if element == .name {
      readName()
    } else if element.isPoint, let done = point {
      if element == .waypoint, let name = waypointName {
        xml.records.append(.name(TrackName(name, of: done.draft.coordinate)))
      }
      forward(.event(done.hasFix ? .fix(done.location) : .gap), of: element)
      if element == .waypoint { forward(.event(.gap), of: element) }
      point = nil
    } else if element == .segment || element == .route {
      forward(.event(.gap), of: element)
    } else if point != nil, element.isValue {
      readValue(of: element)
    }
    xml.clearText()
  }

  /// Without a track its routes count, and without routes its waypoints.
  mutating func endFile() {
    guard !hasTrack else { return }
    let points = routes.isEmpty ? waypoints : routes
    xml.records += points
    if points.count == Self.mostKept {
      xml.records.append(.skipped(RecordFault(.damaged, "has too many points without a track"), line: xml.line()))
    }
    (routes, waypoints) = ([], [])
  }

  private mutating func startPoint(_ attributes: UnsafeMutablePointer<UnsafePointer<XML_Char>?>) {
    var (latitude, longitude): (Double?, Double?) = (nil, nil)
    var next = attributes
    while let name = next[0], let value = next[1] {
      if name.bytes.equals("lat") { latitude = value.number }
      if name.bytes.equals("lon") { longitude = value.number }
      next += 2
    }
    let noun = path.last == .trackPoint ? "track point" : "point"
    guard let latitude, let longitude else { return skipPoint("has a \(noun) without its position") }
    let coordinate = LocationCoordinate2D(latitude: latitude, longitude: longitude)
    guard coordinate.isValid else {
      return skipPoint("has a \(noun) that is not on earth: latitude \(latitude), longitude \(longitude)")
    }
    (point, waypointName) = (GPXPoint(coordinate), nil)
  }

  private mutating func readName() {
    let name = (xml.text ?? []).withUnsafeBufferPointer { String(decoding: $0.trimmed, as: UTF8.self) }
    if name.isEmpty { return }
    if path.last == .waypoint { waypointName = name } else { xml.records.append(.name(TrackName(name))) }
  }

  private mutating func readValue(of element: GPXElement) {
    guard let text = xml.text else {
      return report(RecordFault(element.kind, "has a value of more than \(XMLContext.longestValue) bytes"))
    }
    // The text is moved out, because a closure could otherwise modify it through `self`.
    text.withUnsafeBufferPointer { bytes in
      let value = bytes.trimmed
      // An empty element has no value.
      guard !value.isEmpty, let fault = point?.read(element, value, &xml.values) else { return }
      report(fault)
    }
  }
}

struct GPXPoint {
  /// The values that do not depend on others.
  var draft: Location
  private var mode: FixMode?
  /// Whether the point is a fix; the element `fix` may say "none".
  private(set) var hasFix = true

  init(_ coordinate: LocationCoordinate2D) { draft = Location(coordinate: coordinate) }

  /// Reads the text of an element; returns the fault if it is invalid.
  mutating func read(
    _ element: GPXElement, _ text: UnsafeBufferPointer<UInt8>, _ values: inout MemberReader
  ) -> RecordFault? {
    guard case .value(let index) = element else {
      readFix(text)
      return nil
    }
    return values.set(GPXElement.members[index], of: &draft, to: text).map { RecordFault($0) }
  }

  /// Reads the text of `fix`. This program's own element is more precise about the status, and comes after it.
  private mutating func readFix(_ text: UnsafeBufferPointer<UInt8>) {
    if text.equals("none") { hasFix = false }
    if text.equals("2d") { mode = .twoDimensional }
    if text.equals("3d") { mode = .threeDimensional }
    let status: GNSSQuality.Status? = text.equals("dgps") ? .differential : text.equals("pps") ? .precise : nil
    guard let status else { return }
    draft.quality = draft.quality ?? GNSSQuality()
    draft.quality?.status = status
  }

  var location: Location {
    var location = draft
    location.removeUnknownValues()
    if location.ellipsoidalAltitude == nil, let altitude = location.altitude,
      let separation = location.quality?.geoidSeparation
    {
      location.ellipsoidalAltitude = altitude + separation
    }
    location.mode = mode ?? (location.altitude != nil ? .threeDimensional : .twoDimensional)
    return location
  }
}

extension UnsafePointer<XML_Char> {
  /// The number in a text that ends with a zero byte. Spaces around it are ignored.
  var number: Double? { Double(decimal: bytes.trimmed) }
}

extension UInt8 {
  var isSpace: Bool { self == 0x20 || (0x09...0x0D).contains(self) }
}

extension UnsafeBufferPointer<UInt8> {
  var trimmed: UnsafeBufferPointer<UInt8> {
    var (start, end) = (0, count)
    while start < end, self[start].isSpace { start += 1 }
    while start < end, self[end - 1].isSpace { end -= 1 }
    return UnsafeBufferPointer(rebasing: self[start..<end])
  }
}

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
    ("vdop", value("vdop")), ("pdop", value("pdop")), ("fix", .fix), ("src", value("source")),
    ("geoidheight", value("geoidSeparation")),
    ("ageofdgpsdata", value("dgpsAge")), ("dgpsid", value("dgpsStation")), ("trkseg", .segment), ("gpx", .gpx),
    ("rtept", .routePoint), ("rte", .route), ("wpt", .waypoint), ("trk", .track), ("name", .name),
  ]
}
