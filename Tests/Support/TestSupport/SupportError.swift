/// What a test's surroundings could not do.
public struct SupportError: Error, CustomStringConvertible {
  /// One sentence.
  public let description: String

  /// Creates an error.
  public init(_ description: String) { self.description = description }
}
