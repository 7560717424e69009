import FoundationEssentials

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

  package var severity: Severity
  /// One sentence.
  package var message: String

  package init(_ severity: Severity, _ message: String) { (self.severity, self.message) = (severity, message) }

  /// Handles notices. It is called on the output's own thread.
  public typealias Handler = @Sendable (OutputNotice) -> Void
}

/// Why an output cannot write at the moment, and since when.
public struct OutputOutage: Sendable, Hashable {
  /// One sentence.
  package var reason: String
  /// The beginning, on the host's clock.
  package var since: Date

  package init(reason: String, since: Date) { (self.reason, self.since) = (reason, since) }
}

/// Why an output cannot be opened, or ended: a code, and a sentence for a person.
public struct OutputError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of failure.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    /// A file or socket that cannot be created or opened.
    case cannotCreate
    case inputOutput
    /// The process is out of threads or descriptors.
    case noResources
  }

  package var code: Code
  /// One sentence that names the path or address and the way out.
  package var message: String

  package init(_ code: Code, _ message: String) { (self.code, self.message) = (code, message) }

  static let closedStandardOutput = OutputError(
    .inputOutput, "standard output is closed, so nothing can be written to it")

  /// The message.
  public var description: String { message }
}
