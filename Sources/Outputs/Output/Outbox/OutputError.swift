/// Why an output cannot be opened, or ended: a code, and a sentence for a person.
public struct OutputError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What failed.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    /// An address or a path that makes no sense.
    case usage
    /// A file or socket that cannot be created or opened.
    case cannotCreate
    /// Writing failed.
    case inputOutput
  }

  /// What failed.
  public var code: Code
  /// One sentence that names the path or address and the way out.
  public var message: String

  /// Creates an error.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  static let closedStandardOutput = OutputError(
    .inputOutput, "standard output is closed, so nothing can be written to it")

  /// The message.
  public var description: String { message }
}
