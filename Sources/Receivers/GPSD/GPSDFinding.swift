/// One thing that a `GPSDProbe` found between here and a fix.
public enum GPSDFinding: Sendable, Hashable {
  /// What was looked at, in the order in which a probe does.
  public enum Step: String, Sendable, Hashable, CaseIterable {
    /// The host's name has an address.
    case name
    /// Something accepts connections there.
    case connection
    /// It is a gpsd.
    case gpsd
    /// gpsd has the device.
    case devices
    /// The device says something.
    case data
    /// The receiver has a fix.
    case fix
    /// The receiver and this host agree on the time.
    case clock
  }

  /// How bad it is.
  public enum Outcome: String, Sendable, Hashable {
    /// As it should be.
    case ok
    /// Odd, but no obstacle.
    case warning
    /// Nothing beyond this can work.
    case failure
  }

  /// How many satellites a receiver sees and uses.
  public struct Satellites: Sendable, Hashable {
    /// In view.
    public var seen: Int
    /// Used for a fix.
    public var used: Int

    /// Creates the counts.
    public init(seen: Int, used: Int) {
      (self.seen, self.used) = (seen, used)
    }
  }

  /// The probe itself could not begin: this process has no memory, threads or descriptors left.
  case outOfResources(reason: String)
  /// The host has that many addresses.
  case addresses(Int)
  /// The host has no address.
  case noAddress(reason: String)
  /// Something accepts connections.
  case connected
  /// Nobody listens at that port.
  case connectionRefused(reason: String)
  /// The system does not let this process connect.
  case connectionDenied(reason: String)
  /// There is no connection for another reason.
  case noConnection(reason: String)
  /// A gpsd of that release answers.
  case gpsd(release: String)
  /// What answers did not greet within that many seconds.
  case noGreeting(within: Double)
  /// What answers is not gpsd.
  case notGPSD
  /// What answers greeted as gpsd does, and did not confirm the watch within that many seconds.
  case watchNotConfirmed(within: Double)
  /// The connection ended at that step.
  case connectionLost(Step, reason: String)
  /// gpsd has these devices, the wanted one among them.
  case devices([String])
  /// gpsd has no device.
  case noDevices
  /// gpsd has devices, but not the wanted one.
  case deviceMissing(String, others: [String])
  /// The device sends reports.
  case data
  /// The device sent no report for that many seconds.
  case noData(within: Double)
  /// The receiver has a fix of 2 or 3 dimensions.
  case fix(dimensions: Int, Satellites?)
  /// The receiver has no fix.
  case noFix(Satellites?)
  /// This host's clock agrees with the receiver's within 10 s.
  case clockAgrees
  /// This host's clock is that many seconds ahead of the receiver's, or behind it when negative.
  case clockDiffers(Double)
  /// The receiver does not know the time.
  case noTime
  /// GPS time is that many seconds ahead of UTC, as the receiver says.
  case leapSeconds(Int)
  /// A receiver's pulse of a second has come: this host's clock was that many seconds ahead of it, known to that power of two
  /// of seconds.
  case pulse(device: String?, offset: Double, precision: Int?)

  /// What was looked at.
  public var step: Step {
    switch self {
    case .outOfResources, .addresses, .noAddress: .name
    case .connected, .connectionRefused, .connectionDenied, .noConnection: .connection
    case .gpsd, .noGreeting, .notGPSD, .watchNotConfirmed: .gpsd
    case .connectionLost(let step, _): step
    case .devices, .noDevices, .deviceMissing: .devices
    case .data, .noData: .data
    case .fix, .noFix: .fix
    case .clockAgrees, .clockDiffers, .noTime, .leapSeconds, .pulse: .clock
    }
  }

  /// How bad it is.
  public var outcome: Outcome {
    switch self {
    case .addresses, .connected, .gpsd, .devices, .data, .fix, .clockAgrees, .leapSeconds, .pulse: .ok
    case .clockDiffers, .noTime: .warning
    case .outOfResources, .noAddress, .connectionRefused, .connectionDenied, .noConnection, .noGreeting, .notGPSD,
      .watchNotConfirmed, .connectionLost, .noDevices, .deviceMissing, .noData, .noFix:
      .failure
    }
  }
}

/// Ends a probe early.
struct ProbeFailure: Error {
  var finding: GPSDFinding
}
