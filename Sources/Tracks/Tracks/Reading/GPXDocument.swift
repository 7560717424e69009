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
  /// The greatest depth of elements; no GPX file needs more.
  private static let deepest = 64
  /// The number of records of routes, and of waypoints, that are kept for a file without a track; further ones are left
  /// out.
  private static let mostKept = 1 << 17
  /// The longest text of a value, in bytes.
  private static let longestValue = 1024

  var records: [DecodedRecord] = []
  /// Bytes since expat reported anything.
  var bytesWithoutEvent = 0
  /// The reason why reading was stopped.
  private(set) var problem: String?

  let stop: () -> Void
  /// The line that expat has reached.
  let line: () -> Int
  private var path: [GPXElement] = []
  private var namespaces = XMLNamespaces()
  /// The text of the current value; `nil` if it is too long.
  private var text: [UInt8]? = []
  /// The current track point; `nil` outside of a point, and within one that is skipped.
  private var point: GPXPoint?
  private var timestamps = TimestampReader()
  private var sources = GPXSourceCache()
  /// The records of routes and waypoints, until there is a track. GPX has them before tracks.
  private var routes: [DecodedRecord] = []
  private var waypoints: [DecodedRecord] = []
  private var hasTrack = false

  init(line: @escaping () -> Int, stop: @escaping () -> Void) {
    (self.line, self.stop) = (line, stop)
    text?.reserveCapacity(Self.longestValue)
  }

  mutating func fail(_ words: String) {
    guard problem == nil else { return }
    problem = words
    stop()
  }

  private mutating func skipPoint(_ words: String) {
    point = nil
    report(RecordFault(.position, words))
  }

  private mutating func report(_ fault: RecordFault) {
    handOn(.skipped(fault, line: line()), of: path.last { $0.isPoint } ?? .trackPoint)
  }

  /// Keeps records outside tracks for the end of a file without a track.
  private mutating func handOn(_ record: DecodedRecord, of element: GPXElement) {
    switch element {
    case .routePoint, .route: if !hasTrack, routes.count < Self.mostKept { routes.append(record) }
    case .waypoint: if !hasTrack, waypoints.count < Self.mostKept { waypoints.append(record) }
    default: records.append(record)
    }
  }

  mutating func start(_ name: UnsafePointer<XML_Char>, _ attributes: UnsafeMutablePointer<UnsafePointer<XML_Char>?>) {
    bytesWithoutEvent = 0
    let element = namespaces.begin(name, attributes) { GPXElement($0, $1, in: path.last) }
    if path.isEmpty, element != .gpx {
      let root = String(cString: name)
      return fail(
        root == "svg" || root == "html"
          ? "is a picture or a page without fixes; read the recording that it was made from"
          : "is neither GPX nor KML: its root is '\(root.prefix(40))'")
    }
    guard path.count < Self.deepest else { return fail("has more than \(Self.deepest) elements within each other") }
    path.append(element)
    if element == .trackPoint, !hasTrack {
      hasTrack = true
      (routes, waypoints) = ([], [])
    }
    if element.isPoint, element == .trackPoint || !hasTrack { startPoint(attributes) }
    clearText()
  }

  mutating func add(_ bytes: UnsafePointer<XML_Char>?, _ count: Int) {
    bytesWithoutEvent = 0
    guard point != nil, let element = path.last, element.isValue, let bytes else { return }
    guard let length = text?.count, length + count <= Self.longestValue else { return text = nil }
    bytes.withMemoryRebound(to: UInt8.self, capacity: count) {
      text?.append(contentsOf: UnsafeBufferPointer(start: $0, count: count))
    }
  }

  private mutating func clearText() {
    if text == nil { text = [] } else { text?.removeAll(keepingCapacity: true) }
  }

  mutating func end() {
    bytesWithoutEvent = 0
    guard let element = path.popLast() else { return }
    namespaces.end()
    if element.isPoint, let done = point {
      handOn(.event(done.hasFix ? .fix(done.location) : .gap), of: element)
      if element == .waypoint { handOn(.event(.gap), of: element) }
      point = nil
    } else if element == .segment || element == .route {
      handOn(.event(.gap), of: element)
    } else if point != nil, element.isValue {
      readValue(of: element)
    }
    clearText()
  }

  /// Ends the file, or the part that was read. Without a track its routes count, and without routes its waypoints.
  mutating func endFile() {
    guard !hasTrack else { return }
    let points = routes.isEmpty ? waypoints : routes
    records += points
    if points.count == Self.mostKept {
      records.append(.skipped(RecordFault(.damaged, "has too many points without a track"), line: line()))
    }
    (routes, waypoints) = ([], [])
  }

  private mutating func startPoint(_ attributes: UnsafeMutablePointer<UnsafePointer<XML_Char>?>) {
    var (latitude, longitude): (Double?, Double?) = (nil, nil)
    var next = attributes
    while let name = next[0], let value = next[1] {
      if name.equals("lat") { latitude = value.number }
      if name.equals("lon") { longitude = value.number }
      next += 2
    }
    guard let latitude, let longitude else {
      return skipPoint("has a \(path.last == .trackPoint ? "track point" : "point") without its position")
    }
    let coordinate = LocationCoordinate2D(latitude: latitude, longitude: longitude)
    guard coordinate.isValid else {
      return skipPoint(
        "has a \(path.last == .trackPoint ? "track point" : "point") that is not on earth: latitude \(latitude), longitude \(longitude)"
      )
    }
    point = GPXPoint(coordinate)
  }

  private mutating func readValue(of element: GPXElement) {
    guard let text else {
      let kind: SkippedRecord.Kind = element == .time ? .time : element == .source ? .text : .number
      return report(RecordFault(kind, "has a value of more than \(Self.longestValue) bytes"))
    }
    // The text is moved out, because a closure could otherwise modify it through `self`.
    text.withUnsafeBufferPointer { bytes in
      let value = bytes.trimmed
      // An empty element has no value.
      guard !value.isEmpty else { return }
      switch element {
      case .time:
        if let time = timestamps.read(value) {
          point?.draft.timestamp = time
        } else {
          report(.invalid(.time, value))
        }
      case .source: point?.setDevice(sources.text(value))
      case .fix: point?.setFix(value)
      case .own(let index):
        let fault = point?.draft.set(GPXFormatter.extensionMembers[index], value, &timestamps)
        if let fault = fault.flatMap({ $0 }) { report(fault) }
      default:
        guard let number = Double(recorded: value) else { return report(.invalid(.number, value)) }
        point?.set(element, number)
      }
    }
  }
}

/// The text of the last source, because all points of a recording usually have the same source.
private struct GPXSourceCache {
  private var bytes: [UInt8] = []
  private var last = ""

  mutating func text(_ text: UnsafeBufferPointer<UInt8>) -> String {
    if !bytes.elementsEqual(text) { (bytes, last) = (Array(text), String(decoding: text, as: UTF8.self)) }
    return last
  }
}
