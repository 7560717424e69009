import CExpat
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
    if isFinal || !isGood { parser.gpx.endFile() }
    for record in parser.gpx.records { emit(record) }
    parser.gpx.records.removeAll(keepingCapacity: true)
    for record in parser.kml?.records ?? [] { emit(record) }
    parser.kml?.records.removeAll(keepingCapacity: true)
    if let problem = parser.gpx.problem ?? parser.kml?.problem { throw .badLine(parser.line, problem) }
    if !isGood { throw parser.failure }
  }
}

/// expat with the documents that it reports to. It is confined to the thread that created it.
private final class ExpatParser {
  var gpx: GPXDocument
  /// Set if the root is one of KML.
  var kml: KMLDocument?
  /// Bytes since the last event.
  var bytesWithoutEvent: Int {
    get { kml?.bytesWithoutEvent ?? gpx.bytesWithoutEvent }
    set {
      gpx.bytesWithoutEvent = newValue
      kml?.bytesWithoutEvent = newValue
    }
  }
  /// The kind of UTF-16 that the file's first bytes show; `nil` for other encodings.
  private let wideEncoding: String?
  /// The encoding that the file declares.
  private var encoding = ""
  private let parser: XML_Parser

  init(wideEncoding: String?) throws(TrackInputError.Reason) {
    self.wideEncoding = wideEncoding
    guard let parser = XML_ParserCreate(nil) else { throw .readFailed(.noMemory) }
    self.parser = parser
    gpx = GPXDocument(
      line: { Int(rx_expat_line(parser)) }, stop: { _ = XML_StopParser(parser, 0) })
    XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
    XML_SetElementHandler(
      parser,
      { user, name, attributes in
        guard let name, let attributes else { return }
        ExpatParser.of(user)?.begin(name, attributes)
      },
      nil)
    XML_SetCharacterDataHandler(parser) { user, text, count in
      ExpatParser.of(user)?.gpx.add(text, Int(count))
    }
    XML_SetEntityDeclHandler(parser) { user, _, _, _, _, _, _, _, _ in
      ExpatParser.of(user)?.gpx.fail("declares an entity, which no GPX file needs")
    }
    XML_SetUnknownEncodingHandler(
      parser,
      { user, name, information in
        // A file that is UTF-16 by its bytes is not in a single-byte encoding, whatever it declares.
        guard let name, let information, let parser = ExpatParser.of(user), parser.wideEncoding == nil,
          let encoding = SingleByteEncoding(name: String(cString: name))
        else { return 0 }
        withUnsafeMutableBytes(of: &information.pointee.map) {
          for (byte, scalar) in encoding.scalars.enumerated() { $0.bindMemory(to: Int32.self)[byte] = scalar }
        }
        return 1
      }, Unmanaged.passUnretained(self).toOpaque())
    XML_SetXmlDeclHandler(parser) { user, _, encoding, _ in
      guard let parser = ExpatParser.of(user) else { return }
      parser.bytesWithoutEvent = 0
      parser.encoding = encoding.map { String(cString: $0) } ?? ""
    }
    // Comments and the like are events as well.
    XML_SetDefaultHandlerExpand(parser) { user, _, _ in ExpatParser.of(user)?.bytesWithoutEvent = 0 }
  }

  deinit { XML_ParserFree(parser) }

  private static func of(_ user: UnsafeMutableRawPointer?) -> ExpatParser? {
    user.map { Unmanaged<ExpatParser>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Handles the root, which determines the vocabulary of the other elements.
  private func begin(_ name: UnsafePointer<XML_Char>, _ attributes: UnsafeMutablePointer<UnsafePointer<XML_Char>?>) {
    let root = name.bytes.split(separator: UInt8(ascii: ":")).last
    guard root?.elementsEqual("kml".utf8) == true else {
      XML_SetElementHandler(
        parser,
        { user, name, attributes in
          guard let name, let attributes else { return }
          ExpatParser.of(user)?.gpx.start(name, attributes)
        },
        { user, _ in ExpatParser.of(user)?.gpx.end() })
      return gpx.start(name, attributes)
    }
    kml = KMLDocument(line: gpx.line, stop: gpx.stop)
    XML_SetElementHandler(
      parser,
      { user, name, attributes in
        guard let name, let attributes else { return }
        ExpatParser.of(user)?.kml?.start(name, attributes)
      },
      { user, _ in ExpatParser.of(user)?.kml?.end() })
    XML_SetCharacterDataHandler(parser) { user, text, count in
      text?.withMemoryRebound(to: UInt8.self, capacity: Int(count)) {
        ExpatParser.of(user)?.kml?.add(UnsafeBufferPointer(start: $0, count: Int(count)))
      }
    }
    kml?.start(name, attributes)
  }

  var line: Int { Int(rx_expat_line(parser)) }

  /// Why parsing has failed.
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

/// A single-byte encoding that occurs in GPX files and that expat does not know (it knows UTF-8, UTF-16, ISO-8859-1 and
/// ASCII).
struct SingleByteEncoding {
  /// The character of each of the 256 bytes.
  let scalars: [Int32]

  /// The encoding with a name, as XML declarations have it, in any case; `nil` for others.
  init?(name: String) {
    // The first characters are those of ISO-8859-1, as in Unicode.
    var scalars = Array(Int32(0)...255)
    switch name.lowercased() {
    case "windows-1252", "cp1252", "cp-1252", "x-cp1252":
      // The five unassigned bytes keep their meaning in ISO-8859-1, as in browsers.
      scalars.replaceSubrange(
        0x80...0x9F,
        with: [
          0x20AC, 0x81, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8D,
          0x017D, 0x8F, 0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A,
          0x0153, 0x9D, 0x017E, 0x0178,
        ])
    case "iso-8859-15", "iso8859-15", "iso_8859-15", "latin-9", "latin9":
      for (byte, scalar) in [
        (0xA4, 0x20AC), (0xA6, 0x0160), (0xA8, 0x0161), (0xB4, 0x017D), (0xB8, 0x017E), (0xBC, 0x0152), (0xBD, 0x0153),
        (0xBE, 0x0178),
      ] { scalars[byte] = Int32(scalar) }
    default: return nil
    }
    self.scalars = scalars
  }
}
