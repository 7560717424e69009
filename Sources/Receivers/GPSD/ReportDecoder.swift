import CGPS
import FoundationEssentials
import Glibc
import LocationKit
import Records

/// Decodes lines into reports with libgps. For one thread.
package final class ReportDecoder {
  /// Whether it reads pulses; without, they are reported as `other`.
  let readsPulses: Bool
  private let session: OpaquePointer
  /// The seconds by which GPS time is ahead of UTC, by the latest report.
  package private(set) var leapSeconds: Int?

  /// Creates a decoder; `nil` when memory is exhausted.
  package init?(readsPulses: Bool = false) {
    guard let session = cgps_session_create(readsPulses) else { return nil }
    (self.session, self.readsPulses) = (session, readsPulses)
  }

  deinit { cgps_session_destroy(session) }

  /// Decodes one line, without its line end, as far as `interests` require.
  func decode(_ line: UnsafeRawBufferPointer, for interests: LocationSourceInterests = .all) -> GPSDReport {
    guard let start = line.baseAddress, Self.isObject(line.bindMemory(to: UInt8.self)) else { return .malformed }
    cgps_session_skip(session, !interests.contains(.satellites), !interests.contains(.headings))
    var report = cgps_report()
    switch cgps_parse(session, start.assumingMemoryBound(to: CChar.self), line.count, &report) {
    case CGPS_OTHER: return .other
    case CGPS_VERSION: return .version(release: Self.text(report.text) ?? "")
    case CGPS_DEVICES:
      return .devices((0..<max(0, report.device_count)).compactMap { Self.text(cgps_device_path(session, $0)) })
    case CGPS_DEVICE:
      guard let path = Self.text(report.device) else { return .malformed }
      return .device(path: path, isActive: report.is_active)
    case CGPS_WATCH: return .watch
    case CGPS_TPV:
      if report.leap_seconds > 0 { leapSeconds = Int(report.leap_seconds) }
      let draft = Self.draft(report)
      return .fix(
        draft,
        LocationSourceInformation(device: Self.text(report.device), isSimulatedBySoftware: draft.status == .simulated))
    case CGPS_SKY:
      let list = report.has_satellites ? satellites() : nil
      func known(_ count: Int32) -> Int? { count < 0 ? nil : Int(count) }
      return .sky(
        device: Self.text(report.device), interests.contains(.satellites) ? list : nil,
        seen: list?.count ?? known(report.satellites_seen),
        used: list?.count(where: \.isUsed) ?? known(report.satellites_used), Self.dilution(report))
    case CGPS_SKIPPED: return .unwanted
    case CGPS_ATT:
      let heading = Heading(
        magneticHeading: Self.direction(report.magnetic_heading),
        trueHeading: Self.direction(report.heading),
        timestamp: Self.time(report))
      guard heading.trueHeading != nil || heading.magneticHeading != nil else { return .other }
      return .heading(device: Self.text(report.device), heading)
    case CGPS_PPS:
      guard report.pulse_offset.isFinite else { return .other }
      return .pulse(
        device: Self.text(report.device), offset: report.pulse_offset,
        precision: report.pulse_precision < 0 ? Int(report.pulse_precision) : nil)
    case CGPS_ERROR: return .error(Self.text(report.text) ?? "no message")
    default: return .malformed
    }
  }

  /// Whether the line is one JSON object, down to its escapes.
  private static func isObject(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
    var reader = JSONReader(line)
    do throws(JSONError) {
      try reader.forEachMember { _, _ in }
    } catch {
      return false
    }
    var rest = line[...]
    while let index = rest.firstIndex(of: UInt8(ascii: "\\")) {
      let escape = rest[(index + 1)...]
      switch escape.first {
      case UInt8(ascii: "u"):
        guard escape.count > 4, escape.dropFirst().prefix(4).allSatisfy({ isxdigit(Int32($0)) != 0 }) else {
          return false
        }
        rest = escape.dropFirst(5)
      case let byte? where "\"\\/bfnrt".utf8.contains(byte): rest = escape.dropFirst()
      default: return false
      }
    }
    return true
  }

  /// The satellites of the last SKY report, each once: SKY lists a satellite once for each of its frequencies.
  private func satellites() -> [Satellite] {
    var satellites: [Satellite] = []
    var index: Int32 = 0
    var entry = cgps_satellite()
    while cgps_satellite_at(session, index, &entry) {
      index += 1
      let system = Satellite.System(gnssID: Int(entry.gnss_id))
      // gpsd sets `sv_id` to 0 when it does not know the number.
      let identity =
        entry.sv_id > 0
        ? system.map { ($0, Int(entry.sv_id)) } : Satellite.identity(ofNMEANumber: Int(entry.prn)).map { ($0, $1) }
      guard let (system, number) = identity else { continue }
      let signal = entry.signal > 0 ? Self.known(entry.signal) : nil
      if let known = satellites.firstIndex(where: { $0.system == system && $0.number == number }) {
        satellites[known].signal = [satellites[known].signal, signal].compactMap { $0 }.max()
        satellites[known].isUsed = satellites[known].isUsed || entry.is_used
      } else {
        satellites.append(
          Satellite(
            system: system, number: number, azimuth: Self.direction(entry.azimuth),
            elevation: (-90...90).contains(entry.elevation) ? entry.elevation : nil, signal: signal,
            isUsed: entry.is_used))
      }
    }
    return satellites
  }

  /// Of gpsd's `jam`. Receivers report up to 50 in an ordinary place, and 255 in strong jamming.
  private static let highestNoise: Int32 = 127

  private static func draft(_ report: cgps_report) -> LocationDraft {
    var draft = LocationDraft()
    draft.mode = UInt8(exactly: report.mode).flatMap(LocationDraft.Mode.init) ?? .notSeen
    draft.time = time(report)
    if report.latitude == 0 && report.longitude == 0 {
      // Receivers without a position may send exactly 0° and 0°, even as a fix.
      draft.mode = min(draft.mode, .noFix)
    } else if (-90...90).contains(report.latitude) && (-180...180).contains(report.longitude) {
      draft.latitude = report.latitude
      draft.longitude = report.longitude
    }
    draft.altitudeMSL = known(report.altitude_msl)
    draft.altitudeHAE = known(report.altitude_hae)
    draft.eph = magnitude(report.eph)
    draft.epx = magnitude(report.epx)
    draft.epy = magnitude(report.epy)
    draft.epv = magnitude(report.epv)
    draft.track = direction(report.track)
    draft.epd = magnitude(report.epd)
    draft.speed = magnitude(report.speed)
    draft.eps = magnitude(report.eps)
    draft.climb = known(report.climb)
    draft.geoidSeparation = known(report.geoid_separation)
    draft.dgpsAge = magnitude(report.dgps_age)
    draft.dgpsStation = report.dgps_station >= 0 ? Int(report.dgps_station) : nil
    draft.status = GNSSQuality.Status(gpsd: Int(report.status))
    let (isJammed, isOpenOrShort) = (report.jamming > highestNoise, (2...3).contains(report.antenna))
    if report.jamming >= 0 || (1...3).contains(report.antenna) { draft.hasFault = isJammed || isOpenOrShort }
    return draft
  }

  private static func dilution(_ report: cgps_report) -> DilutionOfPrecision {
    // Receivers send 0, or 99 and more, for an unknown factor.
    func factor(_ value: Double) -> Double? { value > 0 && value < 99 ? value : nil }
    return DilutionOfPrecision(
      horizontal: factor(report.hdop), vertical: factor(report.vdop), position: factor(report.pdop),
      time: factor(report.tdop), geometric: factor(report.gdop))
  }

  private static func text(_ pointer: UnsafePointer<CChar>?) -> String? {
    guard let pointer, pointer.pointee != 0 else { return nil }
    return String(cString: pointer)
  }

  private static func time(_ report: cgps_report) -> Date? {
    guard report.has_time else { return nil }
    // A `Date` counts from 2001, and smaller numbers keep more of the nanoseconds.
    let seconds = Double(report.seconds) - Date.timeIntervalBetween1970AndReferenceDate
    return Date(timeIntervalSinceReferenceDate: seconds + Double(report.nanoseconds) / 1e9)
  }

  private static func known(_ value: Double) -> Double? { value.isFinite ? value : nil }

  private static func magnitude(_ value: Double) -> Double? { value.isFinite && value >= 0 ? value : nil }

  /// Degrees from 0 up to 360; north is 0, never 360.
  private static func direction(_ value: Double) -> Double? {
    (0...360).contains(value) ? LocationDraft.normalized(value) : nil
  }
}
