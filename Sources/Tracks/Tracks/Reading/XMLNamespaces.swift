import CExpat
import Glibc
import Records

/// The vocabularies that an element can belong to.
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
    let known = XMLVocabulary.all.first { name.starts(with: UnsafeBufferPointer($0.name)) }?.vocabulary
    // The root's own namespace counts whatever its name is. Some writers remove the name from inner elements.
    let isRoot = name.isEmpty || depth == 1 && prefix.elementsEqual(element)
    declarations.append((prefix, known ?? (isRoot ? .root : .foreign), depth))
  }

  private func vocabulary(_ prefix: UnsafeBufferPointer<UInt8>) -> XMLVocabulary {
    if let declaration = declarations.last(where: { $0.prefix.elementsEqual(prefix) }) { return declaration.vocabulary }
    return XMLVocabulary.all.first { prefix.equals($0.prefix) }?.vocabulary ?? .foreign
  }
}

extension UnsafeBufferPointer<UInt8> {
  fileprivate init(_ text: StaticString) { self.init(start: text.utf8Start, count: text.utf8CodeUnitCount) }
}

extension UnsafePointer<XML_Char> {
  var bytes: UnsafeBufferPointer<UInt8> {
    let count = strlen(self)
    return UnsafeBufferPointer(
      start: UnsafeRawPointer(self).assumingMemoryBound(to: UInt8.self), count: count)
  }
}
