import CExpat
import FoundationEssentials
import LocationKit
import Platform
import Records

/// The events that expat reports of a KML file, turned into records: the points of a `gx:Track`, with their times, and
/// those of a LineString, without times. Each ends with a gap, except the tracks of an interpolated `gx:MultiTrack`,
/// which are one way. Placemarks of places are not tracks.
struct KMLDocument {
  /// The elements that describe a track, by their names in KML and in Google's extension of it.
  private enum Element: CaseIterable {
    case track, multiTrack, interpolate, when, coord, lineString, coordinates

    var name: StaticString {
      switch self {
      case .track: "Track"
      case .multiTrack: "MultiTrack"
      case .interpolate: "interpolate"
      case .when: "when"
      case .coord: "coord"
      case .lineString: "LineString"
      case .coordinates: "coordinates"
      }
    }
  }

  /// The greatest depth of elements; no KML file needs more.
  private static let deepest = 64
  /// The longest value, or position of a line, in bytes.
  private static let longestValue = 1024

  var records: [DecodedRecord] = []
  /// Bytes since expat reported anything.
  var bytesWithoutEvent = 0
  /// The reason why reading was stopped.
  private(set) var problem: String?

  private let stop: () -> Void
  /// The line that expat has reached.
  private let line: () -> Int
  private var path: [Element?] = []
  private var namespaces = XMLNamespaces()
  /// The text of the current value or position; `nil` if it is too long.
  private var text: [UInt8]? = []
  private var timestamps = TimestampReader()
  /// The times and the positions of a `gx:Track`; all of one list may come before the other. Missing and invalid ones
  /// are `nil`: a position without a time is a fix, and a time without a position is not.
  private var times: [Date?] = []
  private var positions: [Location?] = []
  /// The number of them that have become fixes.
  private var used = 0
  private var isInterpolated = false

  init(line: @escaping () -> Int, stop: @escaping () -> Void) { (self.line, self.stop) = (line, stop) }

  mutating func start(_ name: UnsafePointer<XML_Char>, _ attributes: UnsafeMutablePointer<UnsafePointer<XML_Char>?>) {
    bytesWithoutEvent = 0
    guard path.count < Self.deepest else {
      if problem == nil { problem = "has more than \(Self.deepest) elements within each other" }
      return stop()
    }
    let element = namespaces.begin(name, attributes) { vocabulary, name in
      vocabulary == .root || vocabulary == .google ? Element.allCases.first { name.equals($0.name) } : nil
    }
    if element == .track { (times, positions, used) = ([], [], 0) }
    if element == .multiTrack { isInterpolated = false }
    path.append(element)
    text = []
  }

  mutating func add(_ bytes: UnsafeBufferPointer<UInt8>) {
    bytesWithoutEvent = 0
    guard let element = path.last.flatMap({ $0 }) else { return }
    switch element {
    case .when, .coord, .interpolate: append(bytes[...])
    case .coordinates where path.dropLast().last == .lineString:
      var rest = bytes[...]
      while let end = rest.firstIndex(where: Self.isSpace) {
        append(rest[..<end])
        endPosition()
        rest = rest[(end + 1)...]
      }
      append(rest)
    default: break
    }
  }

  mutating func end() {
    bytesWithoutEvent = 0
    namespaces.end()
    guard let element = path.popLast().flatMap({ $0 }) else { return }
    switch element {
    case .interpolate: isInterpolated = path.last == .multiTrack && text == [UInt8(ascii: "1")]
    case .when where path.last == .track: addTime()
    case .coord where path.last == .track:
      positions.append(parsePosition(separator: 0x20))
      makeFixes()
    case .coordinates where path.last == .lineString: endPosition()
    case .track:
      endTrack()
      if !(path.last == .multiTrack && isInterpolated) { records.append(.event(.gap)) }
    case .multiTrack: if isInterpolated { records.append(.event(.gap)) }
    case .lineString: records.append(.event(.gap))
    default: break
    }
    text = []
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

  private mutating func append(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) {
    guard let count = text?.count else { return }
    if count + bytes.count > Self.longestValue { text = nil } else { text?.append(contentsOf: bytes) }
  }

  private mutating func skip(_ fault: RecordFault) { records.append(.skipped(fault, line: line())) }

  // MARK: A track with times

  private mutating func addTime() {
    let time = text?.withUnsafeBufferPointer { timestamps.read($0.trimmed) } ?? nil
    // An empty element has no value.
    if time == nil, text?.allSatisfy(Self.isSpace) != true { skip(.invalid(.time, words)) }
    times.append(time)
    makeFixes()
  }

  /// Makes fixes of the times and positions at the same place in their lists.
  private mutating func makeFixes() {
    while used < min(times.count, positions.count) {
      defer { used += 1 }
      guard var fix = positions[used] else { continue }
      fix.timestamp = times[used]
      records.append(.event(.fix(fix)))
    }
    // Files of other programs and of older versions of this one write each time beside its position.
    if used == times.count, used == positions.count {
      times.removeAll(keepingCapacity: true)
      positions.removeAll(keepingCapacity: true)
      used = 0
    }
  }

  private mutating func endTrack() {
    guard times.count != positions.count else { return }
    skip(
      RecordFault(.damaged, "has a track of \(times.count) times and \(positions.count) positions, which do not match"))
  }

  // MARK: Positions

  private mutating func endPosition() {
    if text == [] { return }
    if let fix = parsePosition(separator: UInt8(ascii: ",")) { records.append(.event(.fix(fix))) }
    text = []
  }

  private var words: String { String(decoding: (text ?? []).prefix(40), as: UTF8.self) }

  /// Longitude, latitude and perhaps altitude; `nil` if the text is not a position. KML allows empty positions, which
  /// count as missing.
  private mutating func parsePosition(separator: UInt8) -> Location? {
    guard let text else {
      skip(RecordFault(.damaged, "has a value of more than \(Self.longestValue) bytes"))
      return nil
    }
    let fields = text.map { Self.isSpace($0) ? 0x20 : $0 }.split(separator: separator)
    if fields.isEmpty { return nil }
    let numbers = fields.map { field in field.withUnsafeBufferPointer { Double(recorded: $0.trimmed) } }
    guard (2...3).contains(numbers.count), let latitude = numbers[1], let longitude = numbers[0] else {
      skip(RecordFault(.position, "has an invalid position: '\(words)'"))
      return nil
    }
    var fix = Location(latitude: latitude, longitude: longitude)
    guard fix.coordinate.isValid else {
      skip(RecordFault(.position, "has a point that is not on earth: latitude \(latitude), longitude \(longitude)"))
      return nil
    }
    guard numbers.count > 2 else { return fix }
    if numbers[2] == nil { skip(.invalid(.number, words)) }
    fix.altitude = numbers[2]
    fix.removeUnknownValues()
    if fix.altitude != nil { fix.mode = .threeDimensional }
    return fix
  }
}
