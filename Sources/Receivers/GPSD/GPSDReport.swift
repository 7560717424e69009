import LocationKit

/// A line of gpsd's protocol, as far as this module uses it.
enum GPSDReport: Sendable, Equatable {
  /// Not a report, or a report that libgps cannot read.
  case malformed
  /// A class that this module does not use: AIS, RTCM and so on.
  case other
  case version(release: String)
  case devices([String])
  /// A device was added, changed or, when it is not active, removed.
  case device(path: String, isActive: Bool)
  /// gpsd confirms the watch.
  case watch
  /// TPV: time, position, velocity and the device.
  case fix(LocationDraft, LocationSourceInformation)
  /// SKY: the satellites, `nil` if the report has no list or no listener needs it, and their numbers, if known.
  case sky(device: String?, [Satellite]?, seen: Int?, used: Int?, DilutionOfPrecision)
  case unwanted
  case heading(device: String?, Heading)
  /// PPS: this host's clock was `offset` seconds ahead of a receiver's pulse, accurate to 2 to the power of `precision`
  /// seconds.
  case pulse(device: String?, offset: Double, precision: Int?)
  case error(String)

  /// Whether a receiver is behind it.
  var isOfReceiver: Bool {
    switch self {
    case .fix, .unwanted, .heading: true
    case .sky(_, _, let seen, _, _): seen != nil
    case .malformed, .other, .version, .devices, .device, .watch, .pulse, .error: false
    }
  }

  /// Whether an event or a line for the log may follow from it. The others only change what later reports make.
  var canMakeEvent: Bool {
    switch self {
    case .other, .pulse, .unwanted, .sky(_, nil, _, _, _): false
    default: true
    }
  }
}
