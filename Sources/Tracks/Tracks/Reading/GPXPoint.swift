import CExpat
import LocationKit
import Platform
import Records

/// A track point that is not complete yet.
struct GPXPoint {
  /// The values that do not depend on others.
  var draft: Location
  /// The mode that `fix` gives; `nil` if it gives none.
  private var mode: FixMode?
  /// Whether the point is a fix; the element `fix` may say "none".
  private(set) var hasFix = true
  private var quality: GNSSQuality {
    get { draft.quality ?? GNSSQuality() }
    set { draft.quality = newValue }
  }

  init(_ coordinate: LocationCoordinate2D) {
    draft = Location(coordinate: coordinate)
  }

  mutating func setDevice(_ device: String) {
    let isSimulated = draft.sourceInformation?.isSimulatedBySoftware ?? false
    draft.sourceInformation = LocationSourceInformation(device: device, isSimulatedBySoftware: isSimulated)
  }

  mutating func set(_ element: GPXElement, _ number: Double) {
    switch element {
    case .elevation: draft.altitude = number
    case .geoidHeight: quality.geoidSeparation = number
    case .hdop: quality.hdop = number
    case .vdop: quality.vdop = number
    case .pdop: quality.pdop = number
    case .dgpsAge: quality.dgpsAge = number
    case .dgpsStation: quality.dgpsStation = Int(exactly: number)
    case .satellites: draft.satellitesUsed = Int(exactly: number)
    case .speed: draft.speed = number
    case .course: draft.course = number
    default: break
    }
  }

  /// Reads the text of `fix`. This program's own element is more precise about the status, and comes after it.
  mutating func setFix(_ text: UnsafeBufferPointer<UInt8>) {
    if text.equals("none") { hasFix = false }
    if text.equals("2d") { mode = .twoDimensional }
    if text.equals("3d") { mode = .threeDimensional }
    if text.equals("dgps") { quality.status = .differential }
    if text.equals("pps") { quality.status = .precise }
  }

  var location: Location {
    var location = draft
    location.removeUnknownValues()
    if location.ellipsoidalAltitude == nil, let altitude = location.altitude,
      let separation = location.quality?.geoidSeparation
    {
      location.ellipsoidalAltitude = altitude + separation
    }
    location.mode = mode ?? (location.altitude != nil ? .threeDimensional : .twoDimensional)
    return location
  }
}

extension UnsafePointer<XML_Char> {
  /// The number in a text that ends with a zero byte. Spaces around it are ignored.
  var number: Double? { Double(decimal: bytes.trimmed) }

  func equals(_ text: StaticString) -> Bool {
    for index in 0..<text.utf8CodeUnitCount where UInt8(bitPattern: self[index]) != text.utf8Start[index] {
      return false
    }
    return self[text.utf8CodeUnitCount] == 0
  }
}

extension UInt8 {
  /// Whether the byte is white space.
  var isSpace: Bool { self == 0x20 || (0x09...0x0D).contains(self) }
}

extension UnsafeBufferPointer<UInt8> {
  /// The text without white space at its ends.
  var trimmed: UnsafeBufferPointer<UInt8> {
    var (start, end) = (0, count)
    while start < end, self[start].isSpace { start += 1 }
    while start < end, self[end - 1].isSpace { end -= 1 }
    return UnsafeBufferPointer(rebasing: self[start..<end])
  }
}
