import FoundationEssentials
import LocationKit

extension NMEADecoder {
  /// HDT: true heading.
  mutating func readHDT(_ f: NMEAFields) {
    heading.trueHeading = direction(f, 1)
  }

  /// THS: true heading with a mode, V for invalid.
  mutating func readTHS(_ f: NMEAFields) {
    guard f.first(2) != UInt8(ascii: "V"), !f.isEmpty(2) else { return }
    heading.trueHeading = direction(f, 1)
  }

  /// HDM: magnetic heading.
  mutating func readHDM(_ f: NMEAFields) {
    heading.magneticHeading = direction(f, 1)
  }

  /// HDG: sensor reading, deviation and variation, both to the east or to the west.
  ///
  /// The deviation turns the reading into the magnetic heading, the variation that into the true one.
  mutating func readHDG(_ f: NMEAFields) {
    guard let sensor = direction(f, 1) else { return }
    let magnetic = sensor + (signed(f, 2) ?? 0)
    heading.magneticHeading = Self.normalized(magnetic)
    if let variation = signed(f, 4) { heading.trueHeading = Self.normalized(magnetic + variation) }
  }

  /// PTNTHTM, True North's compass: true heading.
  mutating func readPTNTHTM(_ f: NMEAFields) {
    heading.trueHeading = direction(f, 1)
  }

  /// Degrees from 0 up to 360, `nil` when empty or out of range.
  func direction(_ f: NMEAFields, _ index: Int) -> Double? {
    let value = f.number(index)
    return value >= 0 && value <= 360 ? Self.normalized(value) : nil
  }

  /// An angle and the E or W after it; west is negative.
  private func signed(_ f: NMEAFields, _ index: Int) -> Double? {
    let value = f.number(index)
    guard value >= 0, value <= 180 else { return nil }
    switch f.first(index + 1) {
    case UInt8(ascii: "E"): return value
    case UInt8(ascii: "W"): return -value
    default: return nil
    }
  }

  private static func normalized(_ degrees: Double) -> Double {
    let rest = degrees.truncatingRemainder(dividingBy: 360)
    return rest < 0 ? rest + 360 : rest
  }
}
