/// Satellite numbers of NMEA 0183, 2.x to 4.11 and the vendors' own ranges, as a constellation and a number in it.
enum SatelliteNumbering {
  /// NMEA 4.1's system id for a talker's second letter; 0 where the talker leaves it open, as GP and GN do.
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

  /// The satellite that `number` means under a system id (0: none given); `nil` for a number that no one uses.
  static func satellite(_ number: Int, systemID: Int) -> (system: NMEASatelliteSystem, number: Int)? {
    guard number > 0 else { return nil }
    let found: (NMEASatelliteSystem, Int) =
      switch systemID {
      case 2: (.glonass, number > 64 ? number - 64 : number)
      // Quectel counts Galileo from 101, Jackson Labs from 301.
      case 3: (.galileo, number % 100)
      // Likewise BeiDou from 201 and from 401.
      case 4: (.beidou, number % 100)
      case 5: (.qzss, number > 192 ? number - 192 : number)
      case 6: (.navic, number % 100)
      default: ranged(number)
      }
    let limit = found.0 == .sbas ? 158 : 63
    return found.1 >= 1 && found.1 <= limit ? found : nil
  }

  /// One numbering for all constellations, as receivers before NMEA 4.1 send.
  private static func ranged(_ number: Int) -> (NMEASatelliteSystem, Int) {
    switch number {
    case 1...32: (.gps, number)
    case 33...64: (.sbas, number + 87)
    case 65...96: (.glonass, number - 64)
    case 101...119: (.galileo, number - 100)
    case 120...158: (.sbas, number)
    case 173...182: (.imes, number - 172)
    case 193...199: (.qzss, number - 192)
    case 201...263: (.beidou, number - 200)
    case 301...363: (.galileo, number - 300)
    case 401...463: (.beidou, number - 400)
    case 501...515: (.navic, number - 500)
    default: (.gps, 0)
    }
  }
}
