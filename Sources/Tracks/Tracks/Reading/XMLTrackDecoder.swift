import CExpat
import Glibc
import Records
import SystemPackage

/// GPX 1.0 and 1.1, and KML, by expat. `GPXDocument` and `KMLDocument` interpret elements and attributes.
///
/// Neither format needs entities other than XML's own, external entities or deep nesting, so a file with them is
/// refused.
struct XMLTrackDecoder: TrackDecoder {
  /// The number of bytes without one complete tag or text after which the file is refused, because expat keeps them
  /// all.
  private static let longestToken = 1 << 20
  /// The number of bytes that are parsed before their events are emitted, so that few of them are kept.
  private static let pieceSize = 16 * 1024

  private let parser: ExpatParser

  /// Creates a decoder; `wideEncoding` is the kind of UTF-16 that the file's first bytes show.
  init(wideEncoding: String? = nil) throws(TrackInputError.Reason) {
    parser = try ExpatParser(wideEncoding: wideEncoding)
  }

  mutating func decode(
    _ bytes: UnsafeBufferPointer<UInt8>, _ emit: (DecodedRecord) -> Void
  ) throws(TrackInputError.Reason) {
    for start in stride(from: 0, to: bytes.count, by: Self.pieceSize) {
      let piece = UnsafeBufferPointer(rebasing: bytes[start..<min(start + Self.pieceSize, bytes.count)])
      try parse(piece, isFinal: false, emit)
      if parser.bytesWithoutEvent > Self.longestToken {
        throw .badLine(parser.line, "has a tag or a text of more than 1 MiB")
      }
    }
  }

  mutating func finish(_ emit: (DecodedRecord) -> Void) throws(TrackInputError.Reason) {
    try parse(UnsafeBufferPointer(start: nil, count: 0), isFinal: true, emit)
  }

  private func parse(
    _ piece: UnsafeBufferPointer<UInt8>, isFinal: Bool, _ emit: (DecodedRecord) -> Void
  ) throws(TrackInputError.Reason) {
    parser.bytesWithoutEvent += piece.count
    let isGood = parser.parse(piece, isFinal: isFinal)
    if isFinal || !isGood { parser.gpx?.endFile() }
    for record in parser.gpx?.xml.records ?? parser.kml?.xml.records ?? [] { emit(record) }
    parser.gpx?.xml.records.removeAll(keepingCapacity: true)
    parser.kml?.xml.records.removeAll(keepingCapacity: true)
    if let problem = parser.problem { throw .badLine(parser.line, problem) }
    if !isGood { throw parser.failure }
  }
}

struct XMLContext {
  /// The greatest depth of elements; no GPX or KML file needs more.
  private static let deepest = 64
  /// The longest value, or position of a line, in bytes.
  static let longestValue = 1024

  var records: [DecodedRecord] = []
  var namespaces = XMLNamespaces()
  var values = MemberReader()
  /// The text of the current value; `nil` if it is too long.
  private(set) var text: [UInt8]? = []
  let line: () -> Int
  let fail: (String) -> Void

  func isAllowed(depth: Int) -> Bool {
    if depth >= Self.deepest { fail("has more than \(Self.deepest) elements within each other") }
    return depth < Self.deepest
  }

  mutating func append(_ bytes: some Collection<UInt8>) {
    guard let count = text?.count, count + bytes.count <= Self.longestValue else { return text = nil }
    text?.append(contentsOf: bytes)
  }

  mutating func clearText() {
    if text == nil { text = [] } else { text?.removeAll(keepingCapacity: true) }
  }
}

/// expat with the document that it reports to. It is confined to the thread that created it.
private final class ExpatParser {
  /// The document of the root's vocabulary; both are `nil` before the root. Their exclusive use, which expat's calls
  /// cannot break, is not checked: that takes 5 % of the whole.
  @exclusivity(unchecked) var gpx: GPXDocument?
  @exclusivity(unchecked) var kml: KMLDocument?
  var bytesWithoutEvent = 0
  /// The reason why reading was stopped.
  private(set) var problem: String?
  /// The kind of UTF-16 that the file's first bytes show; `nil` for other encodings.
  private let wideEncoding: String?
  private var encoding = ""
  private let parser: XML_Parser

  init(wideEncoding: String?) throws(TrackInputError.Reason) {
    self.wideEncoding = wideEncoding
    guard let parser = XML_ParserCreate(nil) else { throw .readFailed(.noMemory) }
    self.parser = parser
    XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
    XML_SetElementHandler(
      parser,
      { user, name, attributes in
        guard let name, let attributes, let parser = ExpatParser.atEvent(user) else { return }
        if parser.gpx == nil, parser.kml == nil { parser.makeDocument(root: name) }
        parser.gpx?.start(name, attributes)
        parser.kml?.start(name, attributes)
      },
      { user, _ in
        guard let parser = ExpatParser.atEvent(user) else { return }
        parser.gpx?.end()
        parser.kml?.end()
      })
    XML_SetCharacterDataHandler(parser) { user, text, count in
      guard let text, let parser = ExpatParser.atEvent(user) else { return }
      text.withMemoryRebound(to: UInt8.self, capacity: Int(count)) {
        parser.gpx?.add(UnsafeBufferPointer(start: $0, count: Int(count)))
        parser.kml?.add(UnsafeBufferPointer(start: $0, count: Int(count)))
      }
    }
    XML_SetEntityDeclHandler(parser) { user, _, _, _, _, _, _, _, _ in
      ExpatParser.atEvent(user)?.fail("declares an entity, which no GPX file needs")
    }
    XML_SetUnknownEncodingHandler(
      parser,
      { user, name, information in
        // A file that is UTF-16 by its bytes is not in a single-byte encoding, whatever it declares.
        guard let name, let information, let parser = ExpatParser.atEvent(user), parser.wideEncoding == nil,
          let characters = singleByteCharacters(of: String(cString: name))
        else { return 0 }
        withUnsafeMutableBytes(of: &information.pointee.map) { map in
          characters.withUnsafeBytes { map.copyMemory(from: $0) }
        }
        return 1
      }, Unmanaged.passUnretained(self).toOpaque())
    XML_SetXmlDeclHandler(parser) { user, _, encoding, _ in
      ExpatParser.atEvent(user)?.encoding = encoding.map { String(cString: $0) } ?? ""
    }
    // Comments and the like are events as well.
    XML_SetDefaultHandlerExpand(parser) { user, _, _ in _ = ExpatParser.atEvent(user) }
  }

  deinit { XML_ParserFree(parser) }

  /// The parser that reports an event.
  private static func atEvent(_ user: UnsafeMutableRawPointer?) -> ExpatParser? {
    let parser = user.map { Unmanaged<ExpatParser>.fromOpaque($0).takeUnretainedValue() }
    parser?.bytesWithoutEvent = 0
    return parser
  }

  private func makeDocument(root: UnsafePointer<XML_Char>) {
    let context = XMLContext(line: { [unowned self] in line }, fail: { [unowned self] in fail($0) })
    let name = root.bytes.split(separator: UInt8(ascii: ":")).last
    if name?.elementsEqual("kml".utf8) == true { kml = KMLDocument(context) } else { gpx = GPXDocument(context) }
  }

  private func fail(_ words: String) {
    guard problem == nil else { return }
    problem = words
    _ = XML_StopParser(parser, 0)
  }

  var line: Int { Int(rx_expat_line(parser)) }

  var failure: TrackInputError.Reason {
    switch XML_GetErrorCode(parser) {
    case XML_ERROR_NO_ELEMENTS, XML_ERROR_UNCLOSED_TOKEN, XML_ERROR_UNCLOSED_CDATA_SECTION, XML_ERROR_PARTIAL_CHAR:
      return .badLine(line, "ends in the middle of an element; what comes before is used")
    case XML_ERROR_UNKNOWN_ENCODING, XML_ERROR_INCORRECT_ENCODING:
      if let wideEncoding { return .encoding(wideEncoding) }
      let name = encoding.prefix(40)
      return .badLine(
        line,
        XML_GetErrorCode(parser) == XML_ERROR_UNKNOWN_ENCODING
          ? "is encoded in \(name), which is not supported; convert it to UTF-8 and declare that in its first line"
          : "declares the encoding \(name), but is not in it; declare UTF-8 in its first line if it is UTF-8")
    case let code:
      let words = XML_ErrorString(code).map { String(cString: $0) } ?? "unknown error"
      return .badLine(line, "is not well-formed XML: \(words)")
    }
  }

  func parse(_ bytes: UnsafeBufferPointer<UInt8>, isFinal: Bool) -> Bool {
    bytes.withMemoryRebound(to: CChar.self) {
      XML_Parse(parser, $0.baseAddress, Int32($0.count), isFinal ? 1 : 0) == XML_STATUS_OK
    }
  }
}

/// The characters of the 256 bytes of an encoding that expat does not know (it knows UTF-8, UTF-16, ISO-8859-1 and ASCII),
/// by iconv; `nil` for an unknown encoding, and for one whose characters have several bytes.
func singleByteCharacters(of encoding: String) -> [Int32]? {
  let converter = iconv_open("UTF-32LE", encoding)
  guard converter != iconv_t(bitPattern: -1) else { return nil }
  defer { iconv_close(converter) }
  var characters: [Int32] = []
  for byte in UInt8.min...UInt8.max {
    var input = [CChar(bitPattern: byte)]
    var character = Int32(0)
    let (count, code) = input.withUnsafeMutableBufferPointer { bytes in
      withUnsafeMutableBytes(of: &character) { output -> (Int, Int32) in
        var (from, to) = (bytes.baseAddress, output.bindMemory(to: CChar.self).baseAddress)
        var (fromCount, toCount) = (1, output.count)
        return (iconv(converter, &from, &fromCount, &to, &toCount), errno)
      }
    }
    if count < 0, code == EINVAL { return nil }
    // The unassigned bytes keep their meaning in ISO-8859-1, as in browsers.
    characters.append(count < 0 ? Int32(byte) : character)
  }
  return characters
}

enum XMLVocabulary {
  /// GPX or KML: the vocabulary of the root.
  case root
  /// Garmin's TrackPointExtension.
  case garmin
  /// OsmAnd's, whose speeds are in metres per second.
  case osmAnd
  /// Google's extension of KML.
  case google
  /// This program's.
  case own
  case foreign

  /// Recognised by the beginning of the namespace's name. The prefix counts if a file does not declare it.
  fileprivate static let all: [(prefix: StaticString, name: StaticString, vocabulary: XMLVocabulary)] = [
    ("gpx", "http://www.topografix.com/GPX/", .root), ("kml", "http://www.opengis.net/kml/", .root),
    ("kml", "http://earth.google.com/kml/", .root), ("gx", "http://www.google.com/kml/ext/", .google),
    ("gpxtpx", "http://www.garmin.com/xmlschemas/TrackPointExtension/", .garmin),
    ("osmand", "https://osmand.net", .osmAnd), ("rx", "urn:x-rxlocationd:gpx:1", .own),
  ]
}

/// The namespaces that are declared at expat's place. expat's own namespace support would refuse a file that forgets to
/// declare a prefix.
struct XMLNamespaces {
  private var depth = 0
  private var declarations: [(prefix: [UInt8], vocabulary: XMLVocabulary, depth: Int)] = []

  /// Begins an element; calls `body` with its vocabulary and its name without the prefix.
  mutating func begin<Result>(
    _ name: UnsafePointer<XML_Char>, _ attributes: UnsafeMutablePointer<UnsafePointer<XML_Char>?>,
    _ body: (XMLVocabulary, UnsafeBufferPointer<UInt8>) -> Result
  ) -> Result {
    depth += 1
    let name = name.bytes
    let colon = name.lastIndex(of: UInt8(ascii: ":"))
    let prefix = UnsafeBufferPointer(rebasing: name[..<(colon ?? 0)])
    var next = attributes
    while let attribute = next[0], let value = next[1] {
      // Points have many attributes, and few begin with an x.
      if attribute.pointee == 0x78 { declare(attribute.bytes, value.bytes, prefix) }
      next += 2
    }
    if depth == 1, !declarations.contains(where: { $0.prefix.elementsEqual(prefix) }) {
      declarations.append((Array(prefix), .root, depth))
    }
    return body(vocabulary(prefix), UnsafeBufferPointer(rebasing: name[(colon.map { $0 + 1 } ?? 0)...]))
  }

  mutating func end() {
    while declarations.last?.depth == depth { declarations.removeLast() }
    depth -= 1
  }

  private mutating func declare(
    _ attribute: UnsafeBufferPointer<UInt8>, _ name: UnsafeBufferPointer<UInt8>, _ element: UnsafeBufferPointer<UInt8>
  ) {
    guard attribute.starts(with: "xmlns".utf8), attribute.count == 5 || attribute[5] == UInt8(ascii: ":") else {
      return
    }
    let prefix = Array(attribute.dropFirst(6))
    let known = XMLVocabulary.all.first { $0.name.withUTF8Buffer { name.starts(with: $0) } }?.vocabulary
    // The root's own namespace counts whatever its name is. Some writers remove the name from inner elements.
    let isRoot = name.isEmpty || depth == 1 && prefix.elementsEqual(element)
    declarations.append((prefix, known ?? (isRoot ? .root : .foreign), depth))
  }

  private func vocabulary(_ prefix: UnsafeBufferPointer<UInt8>) -> XMLVocabulary {
    if let declaration = declarations.last(where: { $0.prefix.elementsEqual(prefix) }) { return declaration.vocabulary }
    return XMLVocabulary.all.first { prefix.equals($0.prefix) }?.vocabulary ?? .foreign
  }
}

extension UnsafePointer<XML_Char> {
  var bytes: UnsafeBufferPointer<UInt8> {
    let count = strlen(self)
    return UnsafeBufferPointer(start: UnsafeRawPointer(self).assumingMemoryBound(to: UInt8.self), count: count)
  }
}
