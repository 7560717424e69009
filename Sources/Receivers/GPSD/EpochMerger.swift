import LocationKit

/// Makes events of reports, one device at a time.
///
/// A location goes out as soon as its report is in. gpsd reports an epoch again when more of it arrives from the
/// receiver (an NMEA receiver's altitude after its position, for one): then the location goes out again with what
/// is new, and with what the earlier report of that epoch had said. A report that repeats its epoch and adds nothing
/// is not passed on, so a receiver that is stuck becomes stale.
///
/// Reports without a time cannot be compared by it. One that equals the last one belongs to the same epoch when it comes
/// soon after it, and is not passed on. A receiver at rest that repeats itself every second is passed on: it
/// is alive.
struct EpochMerger {
  private struct Device {
    var draft: LocationDraft?
    var location: Location?
    /// When the last report was passed on, on the monotonic clock.
    var passedOn = -Double.infinity
    var seen: Int?
    var used: Int?
    var dilution = DilutionOfPrecision()
  }

  /// gpsd has four devices, in big builds a few more; a stranger may name as many as it likes.
  private static let deviceLimit = 64
  /// Seconds. The sentences of an epoch of a receiver that reports every second come within this time.
  private static let longestEpoch = 0.9
  private var devices: [String: Device] = [:]

  /// How many devices are remembered.
  var deviceCount: Int { devices.count }

  /// The event for a TPV report that came at `now` on the monotonic clock, if there is one.
  mutating func take(
    _ report: LocationDraft, from source: LocationSourceInformation, at now: Double
  ) -> LocationSourceEvent? {
    let key = slot(source.device)
    var device = devices[key] ?? Device()
    defer { devices[key] = device }

    guard report.mode >= .twoDimensional else {
      (device.draft, device.location) = (report, nil)
      return .noFix
    }
    let isSameEpoch = report.time != nil && report.time == device.draft?.time
    var draft = isSameEpoch ? device.draft ?? report : report
    draft.update(with: report)
    draft.dilution = device.dilution
    device.draft = draft
    let location = draft.location(
      satellitesUsed: device.used, satellitesSeen: device.seen, sourceInformation: source)
    guard let location else { return nil }
    // Two that equal each other have the same time, or none.
    if isSameEpoch || now - device.passedOn < Self.longestEpoch, let last = device.location,
      last.isSameReport(as: location)
    {
      return nil
    }
    (device.location, device.passedOn) = (location, now)
    return .location(location)
  }

  /// Takes the counts of a SKY report that has any; the device's next locations carry them.
  mutating func take(skyOf device: String?, seen: Int?, used: Int?) {
    guard seen != nil || used != nil else { return }
    let key = slot(device)
    devices[key, default: Device()].seen = seen
    devices[key, default: Device()].used = used
  }

  /// Takes the dilutions of a SKY report; the device's next locations carry them.
  mutating func take(_ dilution: DilutionOfPrecision, of device: String?) {
    devices[slot(device), default: Device()].dilution = dilution
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

extension Location {
  /// Whether both say the same, whatever SKY reports have said between them.
  fileprivate func isSameReport(as other: Location) -> Bool { withoutSky == other.withoutSky }

  private var withoutSky: Location {
    var copy = self
    copy.satellitesSeen = nil
    copy.satellitesUsed = nil
    copy.quality?.hdop = nil
    copy.quality?.vdop = nil
    copy.quality?.pdop = nil
    if copy.quality == GNSSQuality() { copy.quality = nil }
    return copy
  }
}
