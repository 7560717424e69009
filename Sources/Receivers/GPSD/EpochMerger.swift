import LocationKit

/// Makes events of reports, one device at a time.
///
/// A location goes out as soon as its report is in. gpsd reports an epoch again when more of it arrives from the
/// receiver (an NMEA receiver's altitude after its position, for one): then the location goes out again with what
/// is new, and with what the earlier report of that epoch had said. A report that repeats its epoch and adds nothing
/// is not passed on, so a receiver that is stuck becomes stale.
struct EpochMerger {
  private struct Device {
    var fix: GPSDFix?
    var location: Location?
    var satellites: (seen: Int, used: Int)?
  }

  /// gpsd has four devices, in big builds a few more; a stranger may name as many as it likes.
  private static let deviceLimit = 64
  private var devices: [String: Device] = [:]

  /// How many devices are remembered.
  var deviceCount: Int { devices.count }

  /// The event for a TPV report, if there is one.
  mutating func take(_ report: GPSDFix) -> LocationSourceEvent? {
    let key = slot(report.device)
    var device = devices[key] ?? Device()
    defer { devices[key] = device }

    let isSameEpoch = report.time != nil && report.time == device.fix?.time
    let fix = if isSameEpoch, let earlier = device.fix { report.filled(from: earlier) } else { report }
    device.fix = fix
    guard let mode = FixMode(rawValue: UInt8(clamping: fix.mode)) else {
      device.location = nil
      return .noFix
    }
    guard let latitude = fix.latitude, let longitude = fix.longitude else { return nil }
    let location = Location(
      coordinate: LocationCoordinate2D(latitude: latitude, longitude: longitude),
      altitude: mode == .threeDimensional ? fix.altitudeMSL : nil,
      ellipsoidalAltitude: mode == .threeDimensional ? fix.altitudeHAE : nil,
      horizontalAccuracy: fix.horizontalAccuracy,
      verticalAccuracy: fix.epv,
      course: fix.track,
      courseAccuracy: fix.epd,
      speed: fix.speed,
      speedAccuracy: fix.eps,
      climb: fix.climb,
      timestamp: fix.time,
      mode: mode,
      satellitesUsed: device.satellites?.used,
      satellitesSeen: device.satellites?.seen,
      sourceInformation: LocationSourceInformation(device: fix.device, isSimulatedBySoftware: fix.isSimulated))
    if isSameEpoch, let last = device.location, last.isSameReport(as: location) { return nil }
    device.location = location
    return .location(location)
  }

  /// The event for a SKY report; the device's next locations carry the counts.
  mutating func take(skyOf device: String?, seen: Int, used: Int) -> LocationSourceEvent {
    devices[slot(device), default: Device()].satellites = (seen, used)
    return .satellites(seen: seen, used: used)
  }

  /// Forgets a device that went.
  mutating func remove(_ device: String) {
    devices[device] = nil
  }

  private mutating func slot(_ device: String?) -> String {
    let key = device ?? ""
    if devices[key] == nil && devices.count >= Self.deviceLimit { devices.removeAll() }
    return key
  }
}

extension GPSDFix {
  /// `eph`; else the radius that holds the errors east and north.
  fileprivate var horizontalAccuracy: Double? {
    if let eph { return eph }
    guard let epx, let epy else { return nil }
    return (epx * epx + epy * epy).squareRoot()
  }
}

extension Location {
  /// Whether both say the same, whatever the satellites.
  fileprivate func isSameReport(as other: Location) -> Bool {
    var copy = self
    copy.satellitesSeen = other.satellitesSeen
    copy.satellitesUsed = other.satellitesUsed
    return copy == other
  }
}
