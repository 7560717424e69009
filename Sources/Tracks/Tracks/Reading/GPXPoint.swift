import CExpat
import LocationKit
import Platform
import Records

/// A track point in the making.
struct GPXPoint {
  /// What needs nothing else to be known.
  var draft: Location
  /// What `fix` says of the mode; `nil` when it says nothing.
  private var mode: FixMode?
  /// Whether it is a fix: `fix` may say that it is none.
  private(set) var hasFix = true
  private var quality: GNSSQuality {
    get { draft.quality ?? GNSSQuality() }
    set { draft.quality = newValue }
  }

  init(_ coordinate: LocationCoordinate2D) {
    draft = Location(coordinate: coordinate)
  }

  mutating func take(device: String) {
    let isSimulated = draft.sourceInformation?.isSimulatedBySoftware ?? false
    draft.sourceInformation = LocationSourceInformation(device: device, isSimulatedBySoftware: isSimulated)
  }

  mutating func take(_ element: GPXElement, _ number: Double) {
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

  /// Takes what `fix` says. This program's own element says more of the status, and comes after it.
  mutating func take(fix text: UnsafeBufferPointer<UInt8>) {
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
  /// The number in a text that ends with a zero byte, with spaces around it.
  var number: Double? { Double(decimal: bytes.trimmed) }

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
