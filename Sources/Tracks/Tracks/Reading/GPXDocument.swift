import CExpat
import LocationKit
import Platform
import Records

/// What expat reports of a GPX file, and the records that this makes.
///
/// Elements are known by their local names: `speed` is GPX 1.0's own or that of Garmin's TrackPointExtension, whatever its
/// prefix. The names of this program's own namespace are those of its records.
struct GPXDocument {
  /// Elements within elements that no GPX file has.
  private static let deepest = 64
  /// Bytes of a text that is a value.
  private static let longestValue = 1024

  var records: [DecodedRecord] = []
  /// Why reading was stopped.
  private(set) var problem: String?

  private let stop: () -> Void
  /// Where expat is.
  private let line: () -> Int
  private var path: [GPXElement] = []
  private var text: [UInt8] = []
  /// The track point under way; `nil` outside of one, and within one that is skipped.
  private var point: GPXPoint?
  private var timestamps = TimestampReader()
  private var sources = GPXSourceCache()

  init(line: @escaping () -> Int, stop: @escaping () -> Void) {
    (self.line, self.stop) = (line, stop)
    text.reserveCapacity(Self.longestValue)
  }

  mutating func fail(_ words: String) {
    guard problem == nil else { return }
    problem = words
    stop()
  }

  /// Passes over the track point under way.
  private mutating func skipPoint(_ kind: SkippedRecord.Kind, _ words: String) {
    point = nil
    records.append(.skipped(RecordFault(kind, words), line: line()))
  }

  mutating func start(_ name: UnsafePointer<XML_Char>, _ attributes: UnsafeMutablePointer<UnsafePointer<XML_Char>?>) {
    let element = GPXElement(name)
    if path.isEmpty, element != .gpx {
      let root = String(cString: name)
      return fail(
        root == "svg" || root == "html"
          ? "is a picture or a page, which holds no fixes; read the recording that it was made of"
          : "is neither GPX nor KML: its root is '\(root.prefix(40))'")
    }
    guard path.count < Self.deepest else { return fail("has more than \(Self.deepest) elements within each other") }
    if element == .trackPoint, path.last == .segment { startPoint(attributes) }
    path.append(element)
    text.removeAll(keepingCapacity: true)
  }

  mutating func add(_ bytes: UnsafePointer<XML_Char>?, _ count: Int) {
    guard point != nil, let element = path.last, element.isValue, let bytes else { return }
    guard text.count + count <= Self.longestValue else {
      return skipPoint(.damaged, "has a value of more than \(Self.longestValue) bytes")
    }
    bytes.withMemoryRebound(to: UInt8.self, capacity: count) {
      text.append(contentsOf: UnsafeBufferPointer(start: $0, count: count))
    }
  }

  mutating func end() {
    guard let element = path.popLast() else { return }
    if element == .trackPoint, path.last == .segment, let done = point {
      records.append(.event(.fix(done.location)))
      point = nil
    } else if element == .segment {
      records.append(.event(.gap))
    } else if point != nil, element.isValue {
      takeValue(of: element)
    }
    text.removeAll(keepingCapacity: true)
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
      return skipPoint(.position, "has a track point without its position")
    }
    let coordinate = LocationCoordinate2D(latitude: latitude, longitude: longitude)
    guard coordinate.isValid else {
      return skipPoint(
        .position, "has a track point that is not on earth: latitude \(latitude), longitude \(longitude)")
    }
    point = GPXPoint(coordinate)
  }

  private mutating func takeValue(of element: GPXElement) {
    // It is lent out, as a closure over `self` could change it.
    let text = text
    text.withUnsafeBufferPointer { bytes in
      let value = bytes.trimmed
      // An empty element says nothing.
      guard !value.isEmpty else { return }
      switch element {
      case .time:
        // A later time is that of an extension.
        guard path.last == .trackPoint else { return }
        guard let time = timestamps.read(value) else {
          return skipPoint(.time, "has a time that is none: '\(String(decoding: value.prefix(40), as: UTF8.self))'")
        }
        point?.draft.timestamp = time
      case .source: point?.take(device: sources.text(value))
      case .fix: point?.isThreeDimensional = value.equals("2d") || value.equals("none") ? false : true
      case .own(let index): if point?.take(value, own: index) == false { skipNumber(value) }
      default:
        guard let number = Double(decimal: value) else { return skipNumber(value) }
        point?.take(element, number)
      }
    }
  }

  private mutating func skipNumber(_ value: UnsafeBufferPointer<UInt8>) {
    skipPoint(.number, "has a number that is none: '\(String(decoding: value.prefix(40), as: UTF8.self))'")
  }
}

/// The text of the last source: all points of a recording have the same, as a rule.
private struct GPXSourceCache {
  private var bytes: [UInt8] = []
  private var last = ""

  mutating func text(_ text: UnsafeBufferPointer<UInt8>) -> String {
    if !bytes.elementsEqual(text) { (bytes, last) = (Array(text), String(decoding: text, as: UTF8.self)) }
    return last
  }
}
