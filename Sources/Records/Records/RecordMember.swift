import FoundationEssentials

/// A member of a record: its name in every output, its kind, and the property of the library's type that it corresponds
/// to.
///
/// The formats, the journal's tables and `track`'s readers are made from the lists `location`, `crossing` and `error`.
/// To add a member, add a line there and update the golden outputs.
package struct RecordMember<Record: Sendable>: Sendable {
  /// The kind of a value, its getter and its setter. A getter returns `nil` for an unknown value.
  package enum Access: Sendable {
    /// A moment; texts contain it to the millisecond, in UTC.
    case time(@Sendable (Record) -> Date?, @Sendable (inout Record, Date) -> Void)
    /// Degrees of latitude or longitude; texts contain nine decimals.
    case angle(@Sendable (Record) -> Double?, @Sendable (inout Record, Double) -> Void)
    /// Metres, metres per second or degrees of a course; texts contain four decimals.
    case measure(@Sendable (Record) -> Double?, @Sendable (inout Record, Double) -> Void)
    case whole(@Sendable (Record) -> Int?, @Sendable (inout Record, Int) -> Void)
    /// A text; the setter returns whether the value is allowed.
    case text(@Sendable (Record) -> String?, @Sendable (inout Record, String) -> Bool)
    case flag(@Sendable (Record) -> Bool?, @Sendable (inout Record, Bool) -> Void)
  }

  /// The name, which is Core Location's if it has one.
  package let name: StaticString
  package let access: Access
  package let isRequired: Bool
  package let isKeptOnly: Bool
}

extension RecordMember.Access {
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
