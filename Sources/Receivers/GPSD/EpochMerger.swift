import LocationKit

/// Turns reports into events, one device at a time.
///
/// A location goes out as soon as its report is in. gpsd reports an epoch again when the receiver sends more of it,
/// such as an NMEA receiver's altitude after its position. The location then goes out again with the new values and
/// those of the earlier report. A report that repeats its epoch and adds nothing is not passed on, so a receiver that
/// is stuck becomes stale.
///
/// Reports without a time have no epoch to compare. A report that equals the last one and follows it soon belongs to
/// the same epoch and is not passed on. A receiver at rest that repeats itself every second is passed on: it is alive.
struct EpochMerger {
  private struct Device {
    var draft: LocationDraft?
    /// The last location that was passed on, without what SKY reports add.
    var location: Location?
    /// When the last report was passed on, on the source's clock.
    var passedOn = -Double.infinity
    var seen: Int?
    var used: Int?
    var dilution = DilutionOfPrecision()
    /// Until when the receiver's last statement on a fault counts; not every report has one.
    var faultyUntil = -Double.infinity
  }

  /// gpsd has four devices, in big builds a few more, but a hostile peer may name any number.
  private static let deviceLimit = 64
  /// Seconds. A receiver that reports every second sends all sentences of an epoch within this time.
  private static let longestEpoch = 0.9
  /// Seconds.
  private static let faultDuration = 30.0
  private var devices: [String: Device] = [:]

  var deviceCount: Int { devices.count }

  /// Returns the event for a TPV report that came at `now` on the source's clock, if it makes one.
  mutating func receive(
    _ report: LocationDraft, from source: LocationSourceInformation, at now: Double
  ) -> LocationSourceEvent? {
    let key = slot(source.device)
    var device = devices[key] ?? Device()
    defer { devices[key] = device }

    if let hasFault = report.hasFault { device.faultyUntil = hasFault ? now + Self.faultDuration : -.infinity }
    guard report.mode >= .twoDimensional else {
      (device.draft, device.location) = (report, nil)
      return .noFix
    }
    let isSameEpoch = report.time != nil && report.time == device.draft?.time
    var draft = isSameEpoch ? device.draft ?? report : report
    draft.update(with: report)
    device.draft = draft
    var source = source
    if now < device.faultyUntil { source.signs.insert(.receiver) }
    guard let location = draft.location(sourceInformation: source) else { return nil }
    // Equal locations have equal times, or both lack one.
    if isSameEpoch || now - device.passedOn < Self.longestEpoch, device.location == location { return nil }
    (device.location, device.passedOn) = (location, now)
    draft.dilution = device.dilution
    return draft.location(satellitesUsed: device.used, satellitesSeen: device.seen, sourceInformation: source).map {
      .location($0)
    }
  }

  /// Stores the dilutions of a SKY report, and its counts if it has any. The device's next locations carry them.
  mutating func receiveSky(of device: String?, seen: Int?, used: Int?, _ dilution: DilutionOfPrecision) {
    let key = slot(device)
    if seen != nil || used != nil {
      devices[key, default: Device()].seen = seen
      devices[key, default: Device()].used = used
    }
    devices[key, default: Device()].dilution = dilution
  }

  mutating func remove(_ device: String) { devices[device] = nil }

  private mutating func slot(_ device: String?) -> String {
    let key = device ?? ""
    if devices[key] == nil && devices.count >= Self.deviceLimit { devices.removeAll() }
    return key
  }
}
