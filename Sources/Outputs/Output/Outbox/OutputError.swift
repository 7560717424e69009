/// Why an output cannot be opened, or ended: a code, and a sentence for a person.
public struct OutputError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of failure.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    /// A file or socket that cannot be created or opened.
    case cannotCreate
    /// Writing failed.
    case inputOutput
  }

  /// The kind of failure.
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
