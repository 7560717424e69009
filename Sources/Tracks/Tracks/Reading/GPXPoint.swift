import CExpat
import FoundationEssentials
import Glibc
import LocationKit
import Platform
import Records

/// A track point in the making.
struct GPXPoint {
  /// What needs nothing else to be known.
  var draft: Location
  /// What `fix` says; `nil` without one.
  var isThreeDimensional: Bool?
  private var geoidHeight: Double?

  init(_ coordinate: LocationCoordinate2D) {
    draft = Location(coordinate: coordinate)
  }

  /// Takes the value of an element of this program's own; returns whether it is one.
  mutating func take(_ text: UnsafeBufferPointer<UInt8>, own index: Int) -> Bool {
    switch GPXFormatter.extensionMembers[index].access {
    case .time: break
    case .angle(_, let set), .measure(_, let set):
      guard let number = Double(decimal: text) else { return false }
      set(&draft, number)
    case .whole(_, let set):
      guard let number = Double(decimal: text) else { return false }
      if let whole = Int(exactly: number) { set(&draft, whole) }
    case .text(_, let set): return set(&draft, String(decoding: text, as: UTF8.self))
    case .flag(_, let set): set(&draft, text.equals("true"))
    }
    return true
  }

  mutating func take(device: String) {
    let isSimulated = draft.sourceInformation?.isSimulatedBySoftware ?? false
    draft.sourceInformation = LocationSourceInformation(device: device, isSimulatedBySoftware: isSimulated)
  }

  mutating func take(_ element: GPXElement, _ number: Double) {
    switch element {
    case .elevation: draft.altitude = number
    case .geoidHeight: geoidHeight = number
    case .satellites: draft.satellitesUsed = Int(exactly: number)
    case .speed: draft.speed = number
    case .course: draft.course = number
    default: break
    }
  }

  var location: Location {
    var location = draft
    if location.ellipsoidalAltitude == nil, let altitude = draft.altitude, let geoidHeight {
      location.ellipsoidalAltitude = altitude + geoidHeight
    }
    location.mode = isThreeDimensional ?? (draft.altitude != nil) ? .threeDimensional : .twoDimensional
    return location
  }
}

/// The elements of GPX and its extensions that say something of a track, by their local names.
enum GPXElement: Equatable {
  case gpx, segment, trackPoint
  case elevation, time, geoidHeight, source, fix, satellites, speed, course
  /// One of this program's own: which of `GPXFormatter.extensionMembers` it holds.
  case own(Int)
  case other

  init(_ name: UnsafePointer<XML_Char>) {
    var local = name
    var end = name
    while end.pointee != 0 {
      if end.pointee == 0x3A { local = end + 1 }
      end += 1
    }
    self = local.withMemoryRebound(to: UInt8.self, capacity: end - local) {
      Self.named(UnsafeBufferPointer(start: $0, count: end - local))
    }
  }

  /// Whether its text is a value.
  var isValue: Bool {
    switch self {
    case .gpx, .segment, .trackPoint, .other: false
    default: true
    }
  }

  private static func named(_ name: UnsafeBufferPointer<UInt8>) -> GPXElement {
    switch name.count {
    case 3:
      if name.equals("ele") { return .elevation }
      if name.equals("fix") { return .fix }
      if name.equals("sat") { return .satellites }
      if name.equals("src") { return .source }
      if name.equals("gpx") { return .gpx }
    case 4: if name.equals("time") { return .time }
    case 5:
      if name.equals("trkpt") { return .trackPoint }
      if name.equals("speed") { return .speed }
    case 6:
      if name.equals("course") { return .course }
      if name.equals("trkseg") { return .segment }
    case 11: if name.equals("geoidheight") { return .geoidHeight }
    default: break
    }
    return GPXFormatter.extensionMembers.firstIndex { name.equals($0.name) }.map { .own($0) } ?? .other
  }
}

extension UnsafePointer<XML_Char> {
  /// The number in a text that ends with a zero byte, with spaces around it.
  var number: Double? {
    let count = strlen(self)
    return withMemoryRebound(to: UInt8.self, capacity: count) {
      Double(decimal: UnsafeBufferPointer(start: $0, count: count).trimmed)
    }
  }

  /// Whether a text that ends with a zero byte is this one.
  func equals(_ text: StaticString) -> Bool {
    for index in 0..<text.utf8CodeUnitCount where UInt8(bitPattern: self[index]) != text.utf8Start[index] {
      return false
    }
    return self[text.utf8CodeUnitCount] == 0
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// Without white space at its ends.
  var trimmed: UnsafeBufferPointer<UInt8> {
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D }
    var (start, end) = (0, count)
    while start < end, isSpace(self[start]) { start += 1 }
    while start < end, isSpace(self[end - 1]) { end -= 1 }
    return UnsafeBufferPointer(rebasing: self[start..<end])
  }
}
