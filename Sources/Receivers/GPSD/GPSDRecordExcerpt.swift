import Glibc
import LocationKit
import Platform
import Records
package import Replay

/// A secret offset of all coordinates, in degrees and metres.
///
/// Along a parallel, shapes and distances stay as they are. The step to another parallel is so small that distances
/// change by less than 0.1 % at latitudes under 60°.
package struct CoordinateOffset: Sendable {
  private let latitude = Double.random(in: -0.03...0.03)
  private let longitude = Double.random(in: 0..<360)
  fileprivate let altitude = Double.random(in: -200...200)

  package init() {}

  package func moved(_ place: LocationCoordinate2D) -> LocationCoordinate2D {
    LocationCoordinate2D(
      latitude: min(90, max(-90, place.latitude + latitude)),
      longitude: remainder(place.longitude + longitude, 360))
  }
}

/// The last minutes of a record.
package struct GPSDRecordExcerpt {
  /// The members that a moved excerpt keeps. The others may tell the place: the directions of satellites, the height of
  /// the geoid, the number of a reference station, or a text of gpsd or of a driver.
  private static let kept: [String: Set<String>] = [
    "TPV": [
      "class", "device", "mode", "status", "time", "leapseconds", "ept", "lat", "lon", "alt", "altMSL", "epx", "epy",
      "eph", "epv", "sep", "track", "speed", "climb", "epd", "eps", "epc", "dgpsAge", "jam", "ant",
    ],
    "SKY": [
      "class", "device", "time", "xdop", "ydop", "vdop", "tdop", "hdop", "gdop", "pdop", "nSat", "uSat", "satellites",
      "PRN", "ss", "used", "gnssid", "svid", "sigid", "freqid", "health", "qual",
    ],
    "VERSION": ["class", "release", "rev", "proto_major", "proto_minor"],
    "DEVICES": ["class", "devices", "path", "activated", "flags", "native", "bps", "parity", "stopbits", "cycle"],
    "DEVICE": ["class", "path", "activated", "flags", "native", "bps", "parity", "stopbits", "cycle"],
    "WATCH": ["class", "enable", "json", "nmea", "raw", "scaled", "timing", "split24", "pps", "device"],
    "PPS": ["class", "device", "real_sec", "real_nsec", "clock_sec", "clock_nsec", "precision"],
    "TOFF": ["class", "device", "real_sec", "real_nsec", "clock_sec", "clock_nsec", "precision"],
    "ERROR": ["class", "message"],
    "CONNECTION": ["class", "state", "server", "notBefore", "retryIn", "code", "denied", "reason", "error"],
    "CLOCK": ["class", "step"],
  ]
  /// Members that are texts; one that should be a number and is a text is left out.
  private static let texts: Set = [
    "class", "device", "time", "path", "activated", "parity", "release", "rev", "state", "server", "notBefore", "code",
  ]
  /// Texts for a person, whose words are left out.
  private static let words: Set = ["message", "reason", "error"]

  private var lines: [(time: Int, text: [UInt8])] = []
  package var text: [UInt8] { Array(lines.map { $0.text + [UInt8(ascii: "\n")] }.joined()) }
  package var count: Int { lines.count }
  /// Seconds from the first line to the last.
  package var duration: Double { Double((lines.last?.time ?? 0) - (lines.first?.time ?? 0)) / 1e6 }

  /// Reads the last `seconds` of inputs that follow each other; with an offset, only reports whose places can be moved.
  ///
  /// - Throws: `ReplayError`, `Errno` or `GzipError` if an input cannot be read.
  package init(of inputs: [ReplayInput], seconds: Int, movedBy offset: CoordinateOffset?) throws {
    for input in inputs {
      var buffer = LineBuffer(limit: GPSDRecord.longestLine)
      try input.readStored { bytes in
        buffer.append(UnsafeRawBufferPointer(bytes)) { line in
          if let (time, _) = GPSDRecord.parts(of: line) { lines.append((time, Array(line))) }
        }
        return true
      }
    }
    let end = lines.last?.time ?? 0
    lines = Array(lines.reversed().prefix { $0.time >= end - seconds * 1_000_000 }.reversed())
    if let offset { lines = lines.compactMap { line in Self.moved(line.text, offset).map { (line.time, $0) } } }
  }

  /// The line with its place moved; `nil` for a report that may tell places in other ways.
  private static func moved(_ line: [UInt8], _ offset: CoordinateOffset) -> [UInt8]? {
    let head = line.prefix { $0 != UInt8(ascii: "{") }
    let json = Array(line[head.endIndex...])
    var (kind, numbers): (String, [String: Double]) = ("", [:])
    try? JSONReader.forEachMember(of: json) { key, value in
      switch value {
      case .string(let text) where key.elementsEqual("class".utf8): kind = JSONReader.text(text) ?? ""
      case .number(let text): numbers[String(decoding: key, as: UTF8.self)] = Double(decimal: text)
      default: break
      }
    }
    guard let members = kept[kind] else { return nil }
    var new: [String: String?] = ["lat": nil, "lon": nil]
    if let latitude = numbers["lat"], let longitude = numbers["lon"] {
      let place = offset.moved(LocationCoordinate2D(latitude: latitude, longitude: longitude))
      new = ["lat": fixedPoint(place.latitude, decimals: 9), "lon": fixedPoint(place.longitude, decimals: 9)]
    }
    for name in ["alt", "altMSL"] {
      new[name] = .some(numbers[name].map { fixedPoint($0 + offset.altitude, decimals: 3) })
    }
    return json.withUnsafeBufferPointer { copy($0, keeping: members, replacing: new) }.map { Array(head) + $0 }
  }

  /// An object with some of its members, and those of its satellites or devices; `nil` if it is malformed. A number that
  /// `new` has is replaced, or left out if that is `nil`.
  private static func copy(
    _ object: UnsafeBufferPointer<UInt8>, keeping members: Set<String>, replacing new: [String: String?]
  ) -> [UInt8]? {
    var reader = JSONReader(object)
    var parts: [[UInt8]] = []
    do throws(JSONError) {
      try reader.forEachMember { key, value in
        let name = String(decoding: key, as: UTF8.self)
        guard members.contains(name) else { return }
        let text: [UInt8]
        switch value {
        case .string where words.contains(name): text = Array("\"…\"".utf8)
        case .string(let string):
          guard texts.contains(name) else { return }
          text = Array("\"".utf8) + withoutAddress(string) + Array("\"".utf8)
        case .number(let number):
          guard let replaced = new[name] ?? String(decoding: number, as: UTF8.self) else { return }
          text = Array(replaced.utf8)
        case .boolean(let isTrue): text = Array("\(isTrue)".utf8)
        case .null: text = Array("null".utf8)
        case .nested(let nested):
          guard ["satellites", "devices"].contains(name) else { return }
          var elements: [[UInt8]] = []
          var array = JSONReader(nested)
          try? array.forEachElement {
            if case .nested(let object) = $0, let kept = copy(object, keeping: members, replacing: new) {
              elements.append(kept)
            }
          }
          text = Array("[".utf8) + elements.joined(separator: ",".utf8) + Array("]".utf8)
        }
        parts.append(Array("\"\(name)\":".utf8) + text)
      }
    } catch {
      return nil
    }
    return Array("{".utf8) + parts.joined(separator: ",".utf8) + Array("}".utf8)
  }

  /// A device's name without the address of a caster or a server, which has a user's name and often a place.
  private static func withoutAddress(_ text: some Collection<UInt8>) -> [UInt8] {
    let text = Array(text)
    // JSON may escape a slash.
    let ends = ["://", ":\\/\\/"].compactMap { text.firstRange(of: Array($0.utf8))?.upperBound }
    return ends.first.map { text[..<$0] + Array("…".utf8) } ?? text
  }
}
