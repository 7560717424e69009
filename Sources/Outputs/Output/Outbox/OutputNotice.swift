public import FoundationEssentials

/// A message about an output for an administrator: it fails, it has recovered, records were lost. It is reported once
/// for each episode, not for each record.
public struct OutputNotice: Sendable, Hashable {
  /// The severity of a notice.
  public enum Severity: Sendable, Hashable {
    /// Normal, but worth a line: an output has recovered.
    case notice
    /// Records were lost or refused.
    case warning
    /// An output does not work.
    case error
  }

  /// The severity.
  public var severity: Severity
  /// One sentence.
  public var message: String

  /// Creates a notice.
  public init(_ severity: Severity, _ message: String) {
    self.severity = severity
    self.message = message
  }

  /// Handles notices. It is called on the output's own thread.
  public typealias Handler = @Sendable (OutputNotice) -> Void
}

/// Why an output cannot write at the moment, and since when.
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
