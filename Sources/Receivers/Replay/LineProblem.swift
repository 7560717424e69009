/// A bad line that a strict decoder met.
public struct LineProblem: Error, Sendable, Hashable, Codable, CustomStringConvertible {
  /// The kinds of problems, named as in `NMEAStatistics`.
  public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
    /// The checksum does not fit the sentence.
    case checksum
    /// The line violates NMEA 0183.
    case malformed
    /// A value that no receiver can mean.
    case outOfRange
  }

  /// The kind of problem.
  public var kind: Kind
  /// The line, counted from 1.
  public var line: Int
  /// The reason in words, without the line.
  public var reason: String

  /// Creates a problem.
  public init(kind: Kind, line: Int, reason: String) {
    self.kind = kind
    self.line = line
    self.reason = reason
  }

  /// The line and the reason.
  public var description: String { "line \(line): \(reason)" }
}
