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
    let views = View.views(of: satellites)
    let inUse = views.filter { !$0.used.isEmpty }
    let talker = inUse.count > 1 ? "GN" : (inUse.first?.constellation ?? .gps).talker
    let used = location.satellitesUsed ?? satellites.count(where: \.isUsed)
    let fix = Fix(location, satellitesUsed: used)
    append(fix, talker, to: &buffer)
    if inUse.isEmpty { Self.append(fix, [], talker, systemID: nil, to: &buffer) }
    for view in inUse {
      // Twelve fit into a sentence.
      for start in stride(from: 0, to: view.used.count, by: 12) {
        Self.append(
          fix, view.used[start..<min(start + 12, view.used.count)], talker,
          systemID: inUse.count > 1 ? view.constellation.rawValue : nil, to: &buffer)
      }
    }
    for view in views { append(view, to: &buffer) }
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
    appendFitting(fix, talker, "RMC", to: &buffer) { out, precision in
      out.appendField { $0.append(timeOfDay: fix.milliseconds) }
      out.append(fix.coordinate == nil ? ",V" : ",A")
      out.appendPosition(fix.coordinate, decimals: precision.minutes)
      out.appendField { $0.append(fix.knots, decimals: 3) }
      out.appendField { $0.append(fix.course, decimals: 2) }
      out.appendField { $0.append(date: fix.milliseconds) }
      out.append(",,,")
      out.append(fix.quality.mode)
    }
    Self.append(talker, "VTG", to: &buffer) { out in
      out.appendField { $0.append(fix.course, decimals: 2) }
      out.append(",T,,M")
      out.appendField { $0.append(fix.knots, decimals: 3) }
      out.append(",N")
      out.appendField { $0.append(fix.kilometresPerHour, decimals: 3) }
      out.append(",K,")
      out.append(fix.quality.mode)
    }
    appendFitting(fix, talker, "GGA", to: &buffer) { out, precision in
      out.appendField { $0.append(timeOfDay: fix.milliseconds) }
      out.appendPosition(fix.coordinate, decimals: precision.minutes)
      out.append(",")
      out.append(fix.quality.number)
      out.appendField { if let count = fix.satellitesUsed { $0.append(padded: min(count, 99), digits: 2) } }
      out.appendField { $0.append(fix.hdop, decimals: 2) }
      out.appendField { $0.append(fix.altitude, decimals: precision.heights) }
      out.append(",M")
      out.appendField { $0.append(fix.geoidHeight, decimals: precision.heights) }
      out.append(",M")
      out.appendField { if precision.hasCorrection { $0.append(fix.dgpsAge, decimals: 1) } }
      out.appendField {
        if precision.hasCorrection, let station = fix.dgpsStation { $0.append(padded: station, digits: 4) }
      }
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
      out.append(fix.mode)
      for index in 0..<12 {
        out.appendField {
          if index < numbers.count { $0.append(padded: numbers[numbers.startIndex + index], digits: 2) }
        }
      }
      out.appendField { $0.append(fix.pdop, decimals: 2) }
      out.appendField { $0.append(fix.hdop, decimals: 2) }
      out.appendField { $0.append(fix.vdop, decimals: 2) }
      if let systemID {
        out.append(",")
        out.append(systemID)
      }
    }
  }

  /// Appends the satellites in view, four in a sentence.
  private func append(_ view: View, to buffer: inout RecordBuffer) {
    let seen = view.seen
    for start in stride(from: 0, to: seen.count, by: 4) {
      Self.append(view.constellation.talker, "GSV", to: &buffer) { out in
        for number in [(seen.count + 3) / 4, start / 4 + 1] { out.appendField { $0.append(number) } }
        out.appendField { $0.append(padded: seen.count, digits: 2) }
        for (number, index) in seen[start..<min(start + 4, seen.count)] {
          let satellite = satellites[index]
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

/// What the sentences say of a location.
private struct Fix {
  /// Since 1970.
  private(set) var milliseconds: Int?
  private(set) var coordinate: LocationCoordinate2D?
  private(set) var course, knots, kilometresPerHour, altitude, geoidHeight: Double?
  private(set) var mode = 1
  private(set) var satellitesUsed: Int?
  private(set) var hdop, pdop, vdop, dgpsAge: Double?
  private(set) var dgpsStation: Int?
  private(set) var isPrecise = false
  /// The quality in GGA, and the mode in RMC and VTG.
  private(set) var quality: (number: Int, mode: StaticString) = (0, "N")

  init(at time: Date?) {
    guard let time, RecordBuffer.isWritable(time) else { return }
    milliseconds = Int((time.timeIntervalSince1970 * 1000).rounded())
  }

  /// A fix of which fewer than three satellites are known has the number that it needs, three or, with a height, four. gpsd
  /// 3.22 takes a GGA with fewer, or without a number, for no fix.
  init(_ location: Location, satellitesUsed: Int) {
    self.init(at: location.coordinate.isValid ? location.timestamp : nil)
    guard location.coordinate.isValid else { return }
    coordinate = location.coordinate
    (course, knots, kilometresPerHour) = (
      location.course, location.speed.map { $0 * 3600 / 1852 }, location.speed.map { $0 * 3.6 }
    )
    (altitude, geoidHeight, mode) = (location.altitude, location.geoidHeight, Int(location.mode.rawValue))
    self.satellitesUsed = satellitesUsed < 3 ? location.mode == .threeDimensional ? 4 : 3 : satellitesUsed
    let known = location.quality
    hdop =
      known?.hdop
      ?? location.horizontalAccuracy.map { Self.hdop(of: $0, isDifferential: known?.status == .differential) }
    (pdop, vdop, dgpsAge, dgpsStation) = (known?.pdop, known?.vdop, known?.dgpsAge, known?.dgpsStation)
    isPrecise = known?.status == .rtkFixed || location.horizontalAccuracy.map { $0 < 0.1 } == true
    quality =
      switch known?.status {
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

  /// The least dilution of which readers make an accuracy that is not better than the known one. gpsd multiplies by 19 m, or a
  /// quarter of that with differential corrections. GeoClue has steps up to 300 m, and takes an unknown dilution for exact.
  private static func hdop(of accuracy: LocationAccuracy, isDifferential: Bool) -> Double {
    let step =
      switch accuracy {
      case ..<0.5: 0.01
      case ...1: 1.01
      case ...3: 2.01
      case ...50: 5.01
      case ...100: 10.01
      default: 20.01
      }
    return max(accuracy / (isDifferential ? 4.75 : 19), step)
  }
}

/// The satellites that share a talker. The numbers are those of NMEA 4.11. The raw value is the last field of GSA, which
/// tells constellations apart if the talker is GN.
private enum Constellation: Int {
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

  /// The constellation of a satellite, and its number there; nil if NMEA has none.
  static func place(of satellite: Satellite) -> (Constellation, number: Int)? {
    let number = satellite.number
    return switch satellite.system {
    case .gps: (.gps, number)
    case .sbas: (.gps, number - 87)
    case .glonass: (.glonass, number + 64)
    case .galileo: (.galileo, number)
    case .beidou: (.beidou, number)
    case .qzss: (.qzss, number)
    case .navic: (.navic, number)
    default: nil
    }
  }
}

/// The satellites of a constellation in view, by number and index, and the numbers of those in use.
private struct View {
  let constellation: Constellation
  var seen: [(number: Int, index: Int)] = []
  var used: [Int] = []

  static func views(of satellites: [Satellite]) -> [View] {
    var views: [View] = []
    for (position, satellite) in satellites.enumerated() {
      guard let (constellation, number) = Constellation.place(of: satellite) else { continue }
      let index = views.firstIndex { $0.constellation.rawValue >= constellation.rawValue } ?? views.endIndex
      if index == views.endIndex || views[index].constellation != constellation {
        views.insert(View(constellation: constellation), at: index)
      }
      views[index].seen.append((number, position))
      if satellite.isUsed { views[index].used.append(number) }
    }
    return views
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
