import CExpat
import FoundationEssentials
import LocationKit
import Platform
import Records

/// The events that expat reports of a KML file, turned into records: the points of a `gx:Track`, with their times, and
/// those of a LineString, without times. Each ends with a gap, except the tracks of an interpolated `gx:MultiTrack`,
/// which are one way. Placemarks of places are not tracks.
struct KMLDocument {
  private enum Element: String, CaseIterable {
    case track = "Track"
    case multiTrack = "MultiTrack"
    case interpolate
    case when
    case coord
    case lineString = "LineString"
    case coordinates
  }

  var xml: XMLContext
  private var path: [Element?] = []
  /// The times and the positions of a `gx:Track`; all of one list may come before the other. Missing and invalid ones
  /// are `nil`: a position without a time is a fix, and a time without a position is not.
  private var times: [Date?] = []
  private var positions: [Location?] = []
  /// The number of them that have become fixes.
  private var used = 0
  private var isInterpolated = false

  init(_ xml: XMLContext) { self.xml = xml }

  mutating func start(_ name: UnsafePointer<XML_Char>, _ attributes: UnsafeMutablePointer<UnsafePointer<XML_Char>?>) {
    guard xml.isAllowed(depth: path.count) else { return }
    let element = xml.namespaces.begin(name, attributes) { vocabulary, name in
      vocabulary == .root || vocabulary == .google
        ? Element.allCases.first { name.elementsEqual($0.rawValue.utf8) } : nil
    }
    if element == .track { (times, positions, used) = ([], [], 0) }
    if element == .multiTrack { isInterpolated = false }
    path.append(element)
    xml.clearText()
  }

  mutating func add(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard let element = path.last.flatMap({ $0 }) else { return }
    switch element {
    case .when, .coord, .interpolate: xml.append(bytes)
    case .coordinates where path.dropLast().last == .lineString:
      var rest = bytes[...]
      while let end = rest.firstIndex(where: \.isSpace) {
        xml.append(rest[..<end])
        endPosition()
        rest = rest[(end + 1)...]
      }
      xml.append(rest)
    default: break
    }
  }

  mutating func end() {
    xml.namespaces.end()
    guard let element = path.popLast().flatMap({ $0 }) else { return }
    switch element {
    case .interpolate: isInterpolated = path.last == .multiTrack && xml.text == [UInt8(ascii: "1")]
    case .when where path.last == .track: addTime()
    case .coord where path.last == .track:
      positions.append(parsePosition(separator: 0x20))
      makeFixes()
    case .coordinates where path.last == .lineString: endPosition()
    case .track:
      endTrack()
      if !(path.last == .multiTrack && isInterpolated) { xml.records.append(.event(.gap)) }
    case .multiTrack: if isInterpolated { xml.records.append(.event(.gap)) }
    case .lineString: xml.records.append(.event(.gap))
    default: break
    }
    xml.clearText()
  }

  private mutating func skip(_ fault: RecordFault) { xml.records.append(.skipped(fault, line: xml.line())) }

  // MARK: A track with times

  private mutating func addTime() {
    let text = xml.text
    let time = text?.withUnsafeBufferPointer { xml.values.timestamps.read($0.trimmed) } ?? nil
    // An empty element has no value.
    if time == nil, text?.allSatisfy(\.isSpace) != true { skip(.invalid(.time, words)) }
    times.append(time)
    makeFixes()
  }

  private mutating func makeFixes() {
    while used < min(times.count, positions.count) {
      defer { used += 1 }
      guard var fix = positions[used] else { continue }
      fix.timestamp = times[used]
      xml.records.append(.event(.fix(fix)))
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
    if xml.text == [] { return }
    if let fix = parsePosition(separator: UInt8(ascii: ",")) { xml.records.append(.event(.fix(fix))) }
    xml.clearText()
  }

  private var words: String { String(decoding: (xml.text ?? []).prefix(40), as: UTF8.self) }

  /// Longitude, latitude and perhaps altitude; `nil` if the text is not a position. KML allows empty positions, which
  /// count as missing.
  private mutating func parsePosition(separator: UInt8) -> Location? {
    guard let text = xml.text else {
      skip(RecordFault(.damaged, "has a value of more than \(XMLContext.longestValue) bytes"))
      return nil
    }
    let fields = text.map { $0.isSpace ? 0x20 : $0 }.split(separator: separator)
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
