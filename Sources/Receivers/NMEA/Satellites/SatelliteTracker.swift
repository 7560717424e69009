import LocationKit

/// Combines the satellites of GSA and GSV sentences over talkers and signals.
struct SatelliteTracker {
  /// Whether to keep the positions and signals of satellites besides their identities.
  var keepsPlaces = true {
    didSet {
      guard keepsPlaces != oldValue else { return }
      inView.removeAll(keepingCapacity: true)
      hasAllPlaces = false
    }
  }
  /// Whether the positions of the current series have been kept from its beginning.
  private(set) var hasAllPlaces = true

  private var used: SatelliteSet?
  private var seen: SatelliteSet?
  /// The satellites of the series, without whether they are used.
  private var inView: [Satellite] = []
  private var lastGSATalker: UInt8 = 0
  private var lastGSVTalker: UInt8 = 0

  /// How many satellites the GSA sentences name; `nil` before the first.
  var usedCount: Int? { used?.count }
  /// How many different satellites the GSV sentences name; `nil` before the first.
  var seenCount: Int? { seen?.count }

  /// Notes the kind of a sentence: another kind ends the series.
  mutating func sentence(isGSA: Bool, isGSV: Bool) {
    if !isGSA { lastGSATalker = 0 }
    if !isGSV { lastGSVTalker = 0 }
  }

  mutating func readGSA(_ f: NMEAFields) {
    let talker = f.talker
    let isNew = lastGSATalker == 0 || (lastGSATalker == talker && talker != UInt8(ascii: "N"))
    if isNew || used == nil { used = SatelliteSet() }
    lastGSATalker = talker
    // NMEA 4.1's system id at the end counts if the talker does not tell the constellation. Some receivers of GPS alone
    // have another number there.
    let systemID =
      f.isQuectels || talker == UInt8(ascii: "N")
      ? f.systemID(18) ?? SatelliteNumbering.systemID(ofTalker: talker) : SatelliteNumbering.systemID(ofTalker: talker)
    // Twelve satellites, or all fields before the three dilutions.
    for index in 3..<(f.count <= 19 ? 15 : f.count - 3) {
      if let satellite = SatelliteNumbering.satellite(f.int(index), systemID: systemID) {
        used?.insert(satellite.system, satellite.number)
      }
    }
  }

  /// Reads one GSV; returns false when it is malformed.
  ///
  /// After four fields for each satellite NMEA 4.11 may have a signal id, and Quectel's sentences a system id.
  mutating func readGSV(_ f: NMEAFields) -> Bool {
    let talker = f.talker
    guard f.count > 3, f.count % 4 <= (f.isQuectels ? 2 : 1), f.int(2) >= 1 else { return false }
    if f.int(2) == 1, lastGSVTalker == 0 {
      seen = SatelliteSet()
      inView.removeAll(keepingCapacity: true)
      hasAllPlaces = keepsPlaces
    }
    seen = seen ?? SatelliteSet()
    lastGSVTalker = talker
    let givenID = f.isQuectels && f.count % 4 == 2 ? f.systemID(f.count - 1) : nil
    let systemID = givenID ?? SatelliteNumbering.systemID(ofTalker: talker)
    var index = 4
    while index + 3 < f.count {
      if let satellite = SatelliteNumbering.satellite(f.int(index), systemID: systemID) {
        if keepsPlaces {
          note(satellite, f, index)
        } else {
          seen?.insert(satellite.system, satellite.number)
        }
      }
      index += 4
    }
    return true
  }

  /// Notes the position and the signal of a satellite from the fields that begin at `index`.
  private mutating func note(_ satellite: (system: Satellite.System, number: Int), _ f: NMEAFields, _ index: Int) {
    func value(_ field: Int) -> Double? { f.isEmpty(field) ? nil : Double(f.int(field)) }
    let entry = Satellite(
      system: satellite.system, number: satellite.number,
      azimuth: value(index + 2).flatMap { $0 < 0 ? nil : $0 }, elevation: value(index + 1),
      signal: value(index + 3).flatMap { $0 > 0 ? $0 : nil })
    // GSV names a satellite once for each of its frequencies.
    if seen?.contains(satellite.system, satellite.number) == false {
      seen?.insert(satellite.system, satellite.number)
      inView.append(entry)
    } else if let known = inView.firstIndex(where: { $0.system == entry.system && $0.number == entry.number }) {
      inView[known].signal = [inView[known].signal, entry.signal].compactMap(\.self).max()
    }
  }

  /// The satellites of the last series, each once, with the strongest of its signals.
  var satellites: [Satellite] {
    inView.map { satellite in
      var satellite = satellite
      satellite.isUsed = used?.contains(satellite.system, satellite.number) ?? false
      return satellite
    }
  }
}

extension NMEAFields {
  /// A system id, which is one digit; `nil` for any other field.
  fileprivate func systemID(_ index: Int) -> Int? { length(index) == 1 && 1...6 ~= int(index) ? int(index) : nil }
}

private struct SatelliteSet {
  private var bits: InlineArray<8, UInt64> = .init(repeating: 0)
  private(set) var count = 0

  mutating func insert(_ system: Satellite.System, _ number: Int) {
    let (index, bit) = (system.gnssID, Self.bit(system, number))
    let before = bits[index]
    bits[index] = before | bit
    if before & bit == 0 { count += 1 }
  }

  func contains(_ system: Satellite.System, _ number: Int) -> Bool {
    bits[system.gnssID] & Self.bit(system, number) != 0
  }

  /// SBAS numbers are PRNs from 120.
  private static func bit(_ system: Satellite.System, _ number: Int) -> UInt64 {
    1 << UInt64(truncatingIfNeeded: system == .sbas ? number - 120 : number)
  }
}

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
