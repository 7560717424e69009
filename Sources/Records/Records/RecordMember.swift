public import FoundationEssentials

/// A member of a record: its name in every output, what it holds, and where a value of the library has that.
///
/// The lists `location`, `crossing` and `error` are what the formats, the journal's tables and `track`'s readers are made
/// from. A new member is a line there, and the golden outputs that it changes.
public struct RecordMember<Record: Sendable>: Sendable {
  /// What it holds, how it is read and how it is set. What a getter has no value for is not known.
  public enum Access: Sendable {
    /// A moment; texts have it to the millisecond, in UTC.
    case time(@Sendable (Record) -> Date?, @Sendable (inout Record, Date) -> Void)
    /// Degrees of latitude or longitude; texts have nine decimals.
    case angle(@Sendable (Record) -> Double?, @Sendable (inout Record, Double) -> Void)
    /// Metres, metres per second or degrees of a course; texts have four decimals.
    case measure(@Sendable (Record) -> Double?, @Sendable (inout Record, Double) -> Void)
    /// How many there are, or a number that stands for something.
    case whole(@Sendable (Record) -> Int?, @Sendable (inout Record, Int) -> Void)
    /// A text; the setter returns whether there can be this one.
    case text(@Sendable (Record) -> String?, @Sendable (inout Record, String) -> Bool)
    /// Whether something is so.
    case flag(@Sendable (Record) -> Bool?, @Sendable (inout Record, Bool) -> Void)
  }

  /// The name: Core Location's, where it has one.
  public let name: StaticString
  /// How it is read and set.
  public let access: Access
  /// Whether there is no record without it.
  public let isRequired: Bool
  /// Whether the journal alone has it.
  public let isKeptOnly: Bool

  init(_ name: StaticString, _ access: Access, isRequired: Bool = false, isKeptOnly: Bool = false) {
    (self.name, self.access, self.isRequired, self.isKeptOnly) = (name, access, isRequired, isKeptOnly)
  }
}

extension RecordMember.Access {
  /// A text that may be any.
  @inline(__always)
  static func anyText(
    _ get: @escaping @Sendable (Record) -> String?, _ set: @escaping @Sendable (inout Record, String) -> Void
  ) -> Self {
    .text(get) { record, text in
      set(&record, text)
      return true
    }
  }
}
