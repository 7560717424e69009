import LocationKit

/// What gpsd said, or what happened to the connection: a line of gpsd's protocol or of a record, as far as this module
/// uses it.
package enum GPSDReport: Sendable, Equatable {
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
  /// A change of the connection. A record keeps it beside gpsd's lines.
  case connection(GPSDConnectionChange)
  /// The host's clock was set ahead by so many microseconds. Only in records.
  case clockStep(Int)
  /// The bytes of the line whose report follows, if they are to be recorded.
  case line([UInt8])
  /// A line for the log of the client's own.
  case log(GPSDLogLevel, String)

  /// Whether a receiver is behind it.
  var isOfReceiver: Bool {
    switch self {
    case .fix, .unwanted, .heading: true
    case .sky(_, _, let seen, _, _): seen != nil
    default: false
    }
  }

  /// Whether an event or a line for the log may follow from it. The others only change what later reports make.
  var canMakeEvent: Bool {
    switch self {
    case .other, .pulse, .unwanted, .sky(_, nil, _, _, _): false
    default: true
    }
  }

  /// Whether the system lets this process connect, if the report tells.
  var authorization: AuthorizationStatus? {
    switch self {
    case .connection(.connected): .authorizedAlways
    case .connection(.waiting(_, _, _, isDenied: true)): .denied
    default: nil
    }
  }

  /// The report of a replay, whose location says that it is not live.
  var recorded: GPSDReport {
    guard case .fix(let draft, var source) = self else { return self }
    source.isSimulatedBySoftware = true
    return .fix(draft, source)
  }
}

package enum GPSDConnectionChange: Sendable, Equatable {
  /// A run begins.
  case started(GPSDEndpoint)
  /// A piece of a record begins within a run.
  case continued(GPSDEndpoint)
  case connecting
  case connected
  /// There is no connection until the next try. `error` is the outage's, when it is reported.
  case waiting(reason: String, retryIn: Double, error: LocationError?, isDenied: Bool)
  /// Timers have run while gpsd was silent.
  case silent
  case stopped
}
