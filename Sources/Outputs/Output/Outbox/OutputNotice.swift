public import FoundationEssentials

/// Something about an output that an administrator should know: that it fails, that it works again, that records
/// were lost. It is reported once for each episode, not for each record.
public struct OutputNotice: Sendable, Hashable {
  /// How serious it is.
  public enum Severity: Sendable, Hashable {
    /// Normal but worth a line: an output works again.
    case notice
    /// Something was lost or refused.
    case warning
    /// An output does not work.
    case error
  }

  /// How serious it is.
  public var severity: Severity
  /// One sentence.
  public var message: String

  /// Creates a notice.
  public init(_ severity: Severity, _ message: String) {
    self.severity = severity
    self.message = message
  }

  /// Takes notices. Called on the output's own thread.
  public typealias Handler = @Sendable (OutputNotice) -> Void
}

/// Why an output takes nothing at the moment, and since when.
public struct OutputOutage: Sendable, Hashable {
  /// One sentence.
  public var reason: String
  /// The beginning, on the host's clock.
  public var since: Date

  /// Creates an outage.
  public init(reason: String, since: Date) {
    (self.reason, self.since) = (reason, since)
  }
}
