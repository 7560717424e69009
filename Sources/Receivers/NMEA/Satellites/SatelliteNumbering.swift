import LocationKit

/// Maps satellite numbers of NMEA 0183, 2.x to 4.11 and vendors' ranges, to a constellation and a number in it.
enum SatelliteNumbering {
  /// NMEA 4.1's system id for a talker's second letter; 0 for talkers such as GP and GN, which do not tell the
  /// constellation.
  static func systemID(ofTalker second: UInt8) -> Int {
    switch second {
    case UInt8(ascii: "A"): 3
    case UInt8(ascii: "B"), UInt8(ascii: "D"): 4
    case UInt8(ascii: "I"): 6
    case UInt8(ascii: "L"): 2
    case UInt8(ascii: "Q"), UInt8(ascii: "Z"): 5
    default: 0
    }
  }

  /// The satellite with `number` under a system id (0: none given); `nil` for a number that is not in use.
  static func satellite(_ number: Int, systemID: Int) -> (system: Satellite.System, number: Int)? {
    guard number > 0 else { return nil }
    let found: (system: Satellite.System, number: Int)? =
      switch systemID {
      case 2: (.glonass, number > 64 ? number - 64 : number)
      // Quectel numbers Galileo from 101, Jackson Labs from 301.
      case 3: (.galileo, number % 100)
      // Quectel numbers BeiDou from 201, Jackson Labs from 401.
      case 4: (.beidou, number % 100)
      case 5: (.qzss, number > 192 ? number - 192 : number)
      case 6: (.navic, number % 100)
      default: Satellite.identity(ofNMEANumber: number)
      }
    guard let found, found.number >= 1, found.number <= (found.system == .sbas ? 158 : 63) else { return nil }
    return found
  }
}
