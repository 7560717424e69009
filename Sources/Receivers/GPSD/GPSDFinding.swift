/// A finding of a `GPSDProbe` on the way from an address to a fix.
public enum GPSDFinding: Sendable, Hashable {
  /// The steps of a probe, in order.
  public enum Step: String, Sendable, Hashable, CaseIterable {
    /// The host's name has an address.
    case name
    /// A server accepts connections there.
    case connection
    /// The server is gpsd.
    case gpsd
    /// gpsd has the device.
    case devices
    /// The device sends reports.
    case data
    /// The receiver has a fix.
    case fix
    /// The receiver and this host agree on the time.
    case clock
  }

  /// How serious a finding is.
  public enum Outcome: String, Sendable, Hashable {
    /// As expected.
    case ok
    /// Unusual, but not an obstacle.
    case warning
    /// No later step can succeed.
    case failure
  }

  /// How many satellites a receiver sees and uses.
  public struct Satellites: Sendable, Hashable {
    /// In view.
    public var seen: Int
    /// Used for a fix.
    public var used: Int
    /// The signal of the strongest, in dB-Hz, if the receiver reports signals.
    public var strongest: Double?

    /// Creates the counts.
    public init(seen: Int, used: Int, strongest: Double? = nil) {
      (self.seen, self.used, self.strongest) = (seen, used, strongest)
    }
  }

  /// This process has no memory, threads or descriptors left.
  case outOfResources(reason: String)
  /// The host has that many addresses.
  case addresses(Int)
  /// The host has no address.
  case noAddress(reason: String)
  /// A server accepts connections.
  case connected
  /// No server listens on that port.
  case connectionRefused(reason: String)
  /// The system does not let this process connect.
  case connectionDenied(reason: String)
  /// Connecting failed for another reason.
  case noConnection(reason: String)
  /// gpsd of that release answers.
  case gpsd(release: String)
  /// The server did not greet within that many seconds.
  case noGreeting(within: Double)
  /// The server is not gpsd.
  case notGPSD
  /// The server greeted like gpsd but did not confirm the watch within that many seconds.
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
  /// A receiver's pulse per second: this host's clock was `offset` seconds ahead of it, accurate to 2 to the power of
  /// `precision` seconds.
  case pulse(device: String?, offset: Double, precision: Int?)

  /// The step that the finding belongs to.
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

  /// How serious the finding is.
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
