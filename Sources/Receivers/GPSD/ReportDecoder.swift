import CGPS
import FoundationEssentials
import LocationKit

/// Turns lines into reports by libgps. For one thread.
final class ReportDecoder {
  private let session: OpaquePointer

  /// Creates a decoder; `nil` when there is no memory.
  init?() {
    guard let session = cgps_session_create() else { return nil }
    self.session = session
  }

  deinit {
    cgps_session_destroy(session)
  }

  /// Reads one line without its line end.
  func decode(_ line: UnsafeRawBufferPointer) -> GPSDReport {
    guard let start = line.baseAddress else { return .malformed }
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
    case CGPS_TPV: return .fix(Self.fix(report))
    case CGPS_SKY:
      guard report.has_satellites else { return .other }
      return .sky(
        device: Self.text(report.device), seen: Int(report.satellites_seen), used: Int(report.satellites_used))
    case CGPS_ATT:
      let heading = Heading(
        magneticHeading: Self.direction(report.magnetic_heading),
        trueHeading: Self.direction(report.heading),
        timestamp: Self.time(report))
      guard heading.trueHeading != nil || heading.magneticHeading != nil else { return .other }
      return .heading(device: Self.text(report.device), heading)
    case CGPS_ERROR: return .error(Self.text(report.text) ?? "no message")
    default: return .malformed
    }
  }

  private static func fix(_ report: cgps_report) -> GPSDFix {
    var fix = GPSDFix(device: text(report.device), time: time(report))
    fix.mode = (0...3).contains(report.mode) ? Int(report.mode) : 0
    fix.isSimulated = report.is_simulated
    if (-90...90).contains(report.latitude) && (-180...180).contains(report.longitude) {
      fix.latitude = report.latitude
      fix.longitude = report.longitude
    }
    fix.altitudeMSL = known(report.altitude_msl)
    fix.altitudeHAE = known(report.altitude_hae)
    fix.eph = magnitude(report.eph)
    fix.epx = magnitude(report.epx)
    fix.epy = magnitude(report.epy)
    fix.epv = magnitude(report.epv)
    fix.track = direction(report.track)
    fix.epd = magnitude(report.epd)
    fix.speed = magnitude(report.speed)
    fix.eps = magnitude(report.eps)
    fix.climb = known(report.climb)
    return fix
  }

  private static func text(_ pointer: UnsafePointer<CChar>?) -> String? {
    guard let pointer, pointer.pointee != 0 else { return nil }
    return String(cString: pointer)
  }

  private static func time(_ report: cgps_report) -> Date? {
    guard report.has_time else { return nil }
    // A Date counts from 2001, in whose small numbers the nanoseconds survive best.
    let seconds = Double(report.seconds) - Date.timeIntervalBetween1970AndReferenceDate
    return Date(timeIntervalSinceReferenceDate: seconds + Double(report.nanoseconds) / 1e9)
  }

  private static func known(_ value: Double) -> Double? {
    value.isFinite ? value : nil
  }

  private static func magnitude(_ value: Double) -> Double? {
    value.isFinite && value >= 0 ? value : nil
  }

  /// Degrees from 0 up to 360; north is 0 here, not 360.
  private static func direction(_ value: Double) -> Double? {
    guard (0...360).contains(value) else { return nil }
    return value == 360 ? 0 : value
  }
}
