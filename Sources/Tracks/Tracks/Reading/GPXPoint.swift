import CExpat
import FoundationEssentials
import Glibc
import LocationKit

/// A track point in the making.
struct GPXPoint {
  /// What needs nothing else to be known.
  var draft: Location
  var device: String?
  var isSimulated: Bool?
  /// What `fix` says; `nil` without one.
  var isThreeDimensional: Bool?
  private var geoidHeight: Double?

  init(_ coordinate: LocationCoordinate2D) {
    draft = Location(coordinate: coordinate)
  }

  mutating func take(_ element: GPXElement, _ number: Double) {
    switch element {
    case .elevation: draft.altitude = number
    case .geoidHeight: geoidHeight = number
    case .satellites: draft.satellitesUsed = Int(exactly: number)
    case .speed: draft.speed = number
    case .course: draft.course = number
    case .ellipsoidalAltitude: draft.ellipsoidalAltitude = number
    case .horizontalAccuracy: draft.horizontalAccuracy = number
    case .verticalAccuracy: draft.verticalAccuracy = number
    case .courseAccuracy: draft.courseAccuracy = number
    case .speedAccuracy: draft.speedAccuracy = number
    default: break
    }
  }

  var location: Location {
    var location = draft
    if location.ellipsoidalAltitude == nil, let altitude = draft.altitude, let geoidHeight {
      location.ellipsoidalAltitude = altitude + geoidHeight
    }
    location.mode = isThreeDimensional ?? (draft.altitude != nil) ? .threeDimensional : .twoDimensional
    if device != nil || isSimulated != nil {
      location.sourceInformation = LocationSourceInformation(
        device: device, isSimulatedBySoftware: isSimulated ?? false)
    }
    return location
  }
}

/// The elements of GPX and its extensions that say something of a track, by their local names.
enum GPXElement {
  case gpx, segment, trackPoint
  case elevation, time, geoidHeight, source, fix, satellites, speed, course
  case ellipsoidalAltitude, horizontalAccuracy, verticalAccuracy, courseAccuracy, speedAccuracy, simulated
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
    case 9: if name.equals("simulated") { return .simulated }
    case 11: if name.equals("geoidheight") { return .geoidHeight }
    case 13: if name.equals("speedAccuracy") { return .speedAccuracy }
    case 14: if name.equals("courseAccuracy") { return .courseAccuracy }
    case 16: if name.equals("verticalAccuracy") { return .verticalAccuracy }
    case 18: if name.equals("horizontalAccuracy") { return .horizontalAccuracy }
    case 19: if name.equals("ellipsoidalAltitude") { return .ellipsoidalAltitude }
    default: break
    }
    return .other
  }
}

/// A number that ends with a zero byte, with spaces around it.
func decimalNumber(_ text: UnsafePointer<XML_Char>) -> Double? {
  let count = strlen(text)
  return text.withMemoryRebound(to: UInt8.self, capacity: count) {
    decimalNumber(UnsafeBufferPointer(start: $0, count: count).trimmed)
  }
}

extension UnsafePointer<XML_Char> {
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
