/// What is wrong with a marble string.
public struct MarbleError: Error, Hashable, Sendable {
  /// The kinds of mistakes.
  public enum Reason: Hashable, Sendable {
    /// The character stands for nothing here: it has no entry in `values`, or its sign is for another kind of diagram.
    case unknownCharacter
    /// A `(` within a group, a `)` without a group, or a group that does not end.
    case unbalancedGroup
    /// A `^` or `!` for the second time, or an `!` before the `^`.
    case misplacedSubscription
  }

  /// What is wrong.
  public let reason: Reason

  /// The diagram.
  public let diagram: String

  /// The character at fault, counted from zero, blanks included.
  public let position: Int

  package init(reason: Reason, diagram: String, position: Int) {
    self.reason = reason
    self.diagram = diagram
    self.position = position
  }
}

extension MarbleError: CustomStringConvertible {
  /// The mistake in words, with the diagram and a mark under the character at fault.
  public var description: String {
    let text =
      switch reason {
      case .unknownCharacter: "a character that stands for nothing"
      case .unbalancedGroup: "a group that does not open or close"
      case .misplacedSubscription: "a misplaced subscription mark"
      }
    return "\(text):\n\(diagram)\n\(String(repeating: " ", count: position))⌃"
  }
}

/// The error that `#` stands for in a marble string, unless the caller names another.
public struct MarbleFailure: Error, Hashable, Sendable {
  /// The error.
  public init() {}
}
