/// One thing that a `GPSDProbe` found between here and a fix.
public struct GPSDFinding: Sendable, Hashable {
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

  /// What was looked at.
  public var step: Step
  /// How bad it is.
  public var outcome: Outcome
  /// What was found, one sentence.
  public var message: String
  /// What to do about it, when there is something to do.
  public var mend: String?

  /// Creates a finding.
  public init(_ step: Step, _ outcome: Outcome, _ message: String, mend: String? = nil) {
    self.step = step
    self.outcome = outcome
    self.message = message
    self.mend = mend
  }
}
