import FoundationEssentials
import LocationKit
import Platform

/// NMEA 0183, as a receiver sends it: RMC, VTG, GGA and GSA for each location, GSV while the satellites are known, and ZDA.
/// Lines end with CR and LF.
///
/// Unknown values are empty, except those without which readers take a fix for none, or for exact; `Fix` has them. A
/// lost fix is written without a position, with the status V and the quality 0.
package struct NMEAFormatter: Sendable {
  /// The satellites in view, which the following locations are written with; empty if they are not known.
  package var satellites: [Satellite] = []
  private let isShort: Bool

  /// Creates a formatter. A short one keeps each sentence within the standard's 82 characters: it writes fewer decimals,
  /// and leaves out the age and the station of corrections.
  package init(isShort: Bool = false) { self.isShort = isShort }

  package func append(_ location: Location, to buffer: inout RecordBuffer) {
    let used = satellites.filter(\.isUsed)
    let constellations = Constellation.allCases.filter { constellation in used.contains { constellation.has($0) } }
    let talker = constellations.count > 1 ? "GN" : (constellations.first ?? .gps).talker
    let fix = Fix(location, satellitesUsed: location.satellitesUsed ?? (used.isEmpty ? nil : used.count))
    append(fix, talker, to: &buffer)
    for constellation in constellations.isEmpty ? [.gps] : constellations {
      let numbers = used.compactMap { constellation.number(of: $0) }
      // Twelve fit into a sentence.
      for start in stride(from: 0, to: max(1, numbers.count), by: 12) {
        Self.append(
          fix, numbers[start..<min(start + 12, numbers.count)], talker,
          systemID: constellations.count > 1 ? constellation.rawValue : nil, to: &buffer)
      }
    }
    for constellation in Constellation.allCases { appendView(of: constellation, to: &buffer) }
    appendEnd(fix, talker, to: &buffer)
  }

  /// Appends the sentences of an epoch without a fix. `time` is the receiver's, if it is known: a loss without a time
  /// breaks gpsd's detection of a cycle's end for good.
  package func appendLoss(at time: Date?, to buffer: inout RecordBuffer) {
    let fix = Fix(at: time)
    append(fix, "GP", to: &buffer)
    Self.append(fix, [], "GP", systemID: nil, to: &buffer)
    appendEnd(fix, "GP", to: &buffer)
  }

  // MARK: Sentences

  /// NMEA 0183 allows 82 characters, the line end included.
  private static let longestSentence = 82

  private func append(_ fix: Fix, _ talker: StaticString, to buffer: inout RecordBuffer) {
    let location = fix.location
    let knots = location?.speed.map { $0 * 3600 / 1852 }
    appendFitting(fix, talker, "RMC", to: &buffer) { out, precision in
      out.appendField { $0.append(timeOfDay: fix.milliseconds) }
      out.append(fix.location == nil ? ",V" : ",A")
      out.appendPosition(fix.location?.coordinate, decimals: precision.minutes)
      out.appendField { $0.append(knots, decimals: 3) }
      out.appendField { $0.append(location?.course, decimals: 2) }
      out.appendField { $0.append(date: fix.milliseconds) }
      out.append(",,,")
      out.append(fix.quality.mode)
    }
    Self.append(talker, "VTG", to: &buffer) { out in
      out.appendField { $0.append(location?.course, decimals: 2) }
      out.append(",T,,M")
      out.appendField { $0.append(knots, decimals: 3) }
      out.append(",N")
      out.appendField { $0.append(location?.speed.map { $0 * 3.6 }, decimals: 3) }
      out.append(",K,")
      out.append(fix.quality.mode)
    }
    appendFitting(fix, talker, "GGA", to: &buffer) { out, precision in
      let correction = precision.hasCorrection ? location?.quality : nil
      out.appendField { $0.append(timeOfDay: fix.milliseconds) }
      out.appendPosition(fix.location?.coordinate, decimals: precision.minutes)
      out.append(",")
      out.append(fix.quality.number)
      out.appendField { if let count = fix.satellitesUsed { $0.append(padded: min(count, 99), digits: 2) } }
      out.appendField { $0.append(fix.hdop, decimals: 2) }
      out.appendField { $0.append(location?.altitude, decimals: precision.heights) }
      out.append(",M")
      out.appendField { $0.append(location?.geoidHeight, decimals: precision.heights) }
      out.append(",M")
      out.appendField { $0.append(correction?.dgpsAge, decimals: 1) }
      out.appendField { if let station = correction?.dgpsStation { $0.append(padded: station, digits: 4) } }
    }
  }

  /// gpsd 3.27 reports a fix once if its last sentence has a time, and otherwise again with each sentence after GGA.
  private func appendEnd(_ fix: Fix, _ talker: StaticString, to buffer: inout RecordBuffer) {
    guard let milliseconds = fix.milliseconds else { return }
    let date = CivilDate(milliseconds)
    Self.append(talker, "ZDA", to: &buffer) { out in
      out.appendField { $0.append(timeOfDay: milliseconds) }
      for (value, digits) in [(date.day, 2), (date.month, 2), (date.year, 4)] {
        out.appendField { $0.append(padded: value, digits: digits) }
      }
      out.append(",00,00")
    }
  }

  /// The decimals of a sentence, and whether it has the age and the station of corrections.
  private struct Precision {
    var minutes: Int
    var heights: Int
    var hasCorrection = true

    /// Two millimetres, or two micrometres for a fix that is accurate to centimetres.
    init(_ fix: Fix) { (minutes, heights) = fix.isPrecise ? (9, 3) : (6, 2) }

    /// What a sentence gives up that is too long, first what a reader misses least. Returns false at the end.
    mutating func reduce() -> Bool {
      if minutes > 6 {
        minutes = 6
      } else if heights > 2 {
        heights = 2
      } else if hasCorrection {
        hasCorrection = false
      } else if minutes > 4 {
        (minutes, heights) = (minutes - 1, 1)
      } else {
        return false
      }
      return true
    }
  }

  private func appendFitting(
    _ fix: Fix, _ talker: StaticString, _ kind: StaticString, to buffer: inout RecordBuffer,
    _ appendFields: (inout RecordBuffer, Precision) -> Void
  ) {
    var precision = Precision(fix)
    let start = buffer.count
    repeat {
      buffer.removeLast(buffer.count - start)
      Self.append(talker, kind, to: &buffer) { appendFields(&$0, precision) }
    } while isShort && buffer.count - start > Self.longestSentence && precision.reduce()
  }

  private static func append(
    _ fix: Fix, _ numbers: ArraySlice<Int>, _ talker: StaticString, systemID: Int?, to buffer: inout RecordBuffer
  ) {
    append(talker, "GSA", to: &buffer) { out in
      out.append(",A,")
      out.append(Int(fix.location?.mode.rawValue ?? 1))
      for index in 0..<12 {
        out.appendField {
          if index < numbers.count { $0.append(padded: numbers[numbers.startIndex + index], digits: 2) }
        }
      }
      let quality = fix.location?.quality
      out.appendField { $0.append(quality?.pdop, decimals: 2) }
      out.appendField { $0.append(fix.hdop, decimals: 2) }
      out.appendField { $0.append(quality?.vdop, decimals: 2) }
      if let systemID {
        out.append(",")
        out.append(systemID)
      }
    }
  }

  /// Appends the satellites in view of a constellation, four in a sentence.
  private func appendView(of constellation: Constellation, to buffer: inout RecordBuffer) {
    let seen = satellites.compactMap { satellite in constellation.number(of: satellite).map { ($0, satellite) } }
    for start in stride(from: 0, to: seen.count, by: 4) {
      Self.append(constellation.talker, "GSV", to: &buffer) { out in
        for number in [(seen.count + 3) / 4, start / 4 + 1] { out.appendField { $0.append(number) } }
        out.appendField { $0.append(padded: seen.count, digits: 2) }
        for (number, satellite) in seen[start..<min(start + 4, seen.count)] {
          out.appendField { $0.append(padded: number, digits: 2) }
          out.appendField { $0.append(degrees: satellite.elevation, digits: 2) }
          out.appendField { $0.append(degrees: satellite.azimuth, digits: 3) }
          out.appendField { $0.append(degrees: satellite.signal, digits: 2) }
        }
      }
    }
  }

  private static func append(
    _ talker: StaticString, _ kind: StaticString, to buffer: inout RecordBuffer,
    _ appendFields: (inout RecordBuffer) -> Void
  ) {
    let start = buffer.count + 1
    buffer.append("$")
    buffer.append(talker)
    buffer.append(kind)
    appendFields(&buffer)
    let checksum = buffer.withUnsafeBytes { $0[start...].reduce(0, ^) }
    buffer.append("*")
    for digit in [checksum >> 4, checksum & 15] { buffer.append(byte: digit < 10 ? 48 + digit : 55 + digit) }
    buffer.append("\r\n")
  }
}

private struct Fix {
  private(set) var location: Location?
  private(set) var satellitesUsed: Int?
  /// Since 1970.
  private(set) var milliseconds: Int?

  init(at time: Date?) {
    guard let time, RecordBuffer.isWritable(time) else { return }
    milliseconds = Int((time.timeIntervalSince1970 * 1000).rounded())
  }

  /// A fix of which fewer than three satellites are known has the number that it needs, three or, with a height, four. gpsd
  /// 3.22 takes a GGA with fewer, or without a number, for no fix.
  init(_ location: Location, satellitesUsed: Int?) {
    self.init(at: location.coordinate.isValid ? location.timestamp : nil)
    guard location.coordinate.isValid else { return }
    let needed = location.mode == .threeDimensional ? 4 : 3
    (self.location, self.satellitesUsed) = (location, satellitesUsed.flatMap { $0 < 3 ? nil : $0 } ?? needed)
  }

  var isPrecise: Bool {
    location?.quality?.status == .rtkFixed || location?.horizontalAccuracy.map { $0 < 0.1 } == true
  }

  /// The dilution, or the least one of which readers make an accuracy that is not better than the known one. gpsd multiplies
  /// by 19 m, or a quarter of that with differential corrections. GeoClue has steps up to 300 m, and takes an unknown
  /// dilution for exact.
  var hdop: Double? {
    if let hdop = location?.quality?.hdop { return hdop }
    guard let location, let accuracy = location.horizontalAccuracy else { return nil }
    let step =
      switch accuracy {
      case ..<0.5: 0.01
      case ...1: 1.01
      case ...3: 2.01
      case ...50: 5.01
      case ...100: 10.01
      default: 20.01
      }
    return max(accuracy / (location.quality?.status == .differential ? 4.75 : 19), step)
  }

  /// The quality in GGA, and the mode in RMC and VTG.
  var quality: (number: Int, mode: StaticString) {
    guard let location else { return (0, "N") }
    return switch location.quality?.status {
    case nil, .combinedDeadReckoning: (1, "A")
    case .differential: (2, "D")
    case .precise: (3, "P")
    case .rtkFixed: (4, "R")
    case .rtkFloat: (5, "F")
    case .deadReckoning: (6, "E")
    case .surveyed: (7, "M")
    case .simulated: (8, "S")
    }
  }
}

/// The satellites that share a talker. The numbers are those of NMEA 4.11. The raw value is the last field of GSA, which
/// tells constellations apart if the talker is GN.
private enum Constellation: Int, CaseIterable {
  case gps = 1
  case glonass, galileo, beidou, qzss, navic

  var talker: StaticString {
    switch self {
    case .gps: "GP"
    case .glonass: "GL"
    case .galileo: "GA"
    case .beidou: "GB"
    case .qzss: "GQ"
    case .navic: "GI"
    }
  }

  func has(_ satellite: Satellite) -> Bool { number(of: satellite) != nil }

  func number(of satellite: Satellite) -> Int? {
    switch (self, satellite.system) {
    case (.gps, .gps), (.galileo, .galileo), (.beidou, .beidou), (.qzss, .qzss), (.navic, .navic): satellite.number
    case (.gps, .sbas): satellite.number - 87
    case (.glonass, .glonass): satellite.number + 64
    default: nil
    }
  }
}

extension CivilDate {
  fileprivate init(_ milliseconds: Int) {
    self.init(daysSince1970: Int((Double(milliseconds) / 86_400_000).rounded(.down)))
  }
}

extension RecordBuffer {
  /// Appends a comma and a value, which may be absent.
  fileprivate mutating func appendField(_ append: (inout RecordBuffer) -> Void) {
    self.append(",")
    append(&self)
  }

  /// Appends a number that is not negative, with leading zeros.
  fileprivate mutating func append(padded value: Int, digits: Int) {
    var (divisor, count) = (1, 1)
    while value / divisor >= 10 || count < digits { (divisor, count) = (divisor * 10, count + 1) }
    while divisor > 0 {
      append(byte: 48 + UInt8(truncatingIfNeeded: value / divisor % 10))
      divisor /= 10
    }
  }

  /// Appends a number with a fixed number of decimals; nothing if it is unknown, or absurdly large.
  fileprivate mutating func append(_ value: Double?, decimals: Int) {
    guard let value, value.magnitude < 1e9 else { return }
    let unit = (0..<decimals).reduce(1) { unit, _ in unit * 10 }
    let scaled = Int((value.magnitude * Double(unit)).rounded())
    if value < 0, scaled > 0 { append("-") }
    append(scaled / unit)
    append(".")
    append(padded: scaled % unit, digits: decimals)
  }

  fileprivate mutating func append(degrees value: Double?, digits: Int) {
    guard let value, value.magnitude < 1000 else { return }
    let whole = Int(value.rounded())
    if whole < 0 { append("-") }
    append(padded: Int(whole.magnitude), digits: digits)
  }

  fileprivate mutating func append(timeOfDay milliseconds: Int?) {
    guard let milliseconds else { return }
    let (seconds, fraction) = (((milliseconds % 86_400_000) + 86_400_000) % 86_400_000).quotientAndRemainder(
      dividingBy: 1000)
    append(padded: seconds / 3600 * 10_000 + seconds / 60 % 60 * 100 + seconds % 60, digits: 6)
    append(".")
    append(padded: fraction, digits: 3)
  }

  fileprivate mutating func append(date milliseconds: Int?) {
    guard let milliseconds else { return }
    let date = CivilDate(milliseconds)
    append(padded: date.day * 10_000 + date.month * 100 + date.year % 100, digits: 6)
  }

  /// Appends latitude and longitude with their hemispheres, four fields.
  fileprivate mutating func appendPosition(_ coordinate: LocationCoordinate2D?, decimals: Int) {
    guard let coordinate else { return append(",,,,") }
    appendAngle(coordinate.latitude, decimals: decimals, digits: 2)
    append(coordinate.latitude < 0 ? ",S" : ",N")
    appendAngle(coordinate.longitude, decimals: decimals, digits: 3)
    append(coordinate.longitude < 0 ? ",W" : ",E")
  }

  private mutating func appendAngle(_ degrees: Double, decimals: Int, digits: Int) {
    let unit = (0..<decimals).reduce(1) { unit, _ in unit * 10 }
    let scaled = Int((degrees.magnitude * 60 * Double(unit)).rounded())
    let (minutes, fraction) = scaled.quotientAndRemainder(dividingBy: unit)
    append(",")
    append(padded: minutes / 60 * 100 + minutes % 60, digits: digits + 2)
    append(".")
    append(padded: fraction, digits: decimals)
  }
}
