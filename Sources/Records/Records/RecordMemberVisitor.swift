import FoundationEssentials

/// Reads a member of a record; `nil` when its value is not known.
typealias MemberGetter<Record, Value> = @Sendable (Record) -> Value?
/// Sets a member of a record.
typealias MemberSetter<Record, Value> = @Sendable (inout Record, Value) -> Void

/// What is shown the members of a kind of record, one after the other: how each is read, how it is set, whether there is no
/// record without it, and whether the journal alone has it.
///
/// The lists of members are functions that show them to a visitor. So a writer is compiled together with the list that it is
/// shown, and writes a record as if somebody had written out each of its members.
protocol RecordMemberVisitor<Record>: ~Copyable {
  associatedtype Record: Sendable

  mutating func time(
    _ name: StaticString, _ get: @escaping MemberGetter<Record, Date>, _ set: @escaping MemberSetter<Record, Date>,
    _ use: RecordMemberUse)
  mutating func angle(
    _ name: StaticString, _ get: @escaping MemberGetter<Record, Double>, _ set: @escaping MemberSetter<Record, Double>,
    _ use: RecordMemberUse)
  mutating func measure(
    _ name: StaticString, _ get: @escaping MemberGetter<Record, Double>, _ set: @escaping MemberSetter<Record, Double>,
    _ use: RecordMemberUse)
  mutating func whole(
    _ name: StaticString, _ get: @escaping MemberGetter<Record, Int>, _ set: @escaping MemberSetter<Record, Int>,
    _ use: RecordMemberUse)
  mutating func text(
    _ name: StaticString, _ get: @escaping MemberGetter<Record, String>,
    _ set: @escaping @Sendable (inout Record, String) -> Bool,
    _ use: RecordMemberUse)
  mutating func flag(
    _ name: StaticString, _ get: @escaping MemberGetter<Record, Bool>, _ set: @escaping MemberSetter<Record, Bool>,
    _ use: RecordMemberUse)
}

/// What a member of a record is for.
struct RecordMemberUse: OptionSet {
  var rawValue: UInt8
  /// There is no record without it.
  static let required = Self(rawValue: 1 << 0)
  /// The journal alone has it.
  static let kept = Self(rawValue: 1 << 1)
}

/// Makes a list of the members that it is shown.
struct RecordMemberList<Record: Sendable>: RecordMemberVisitor {
  private(set) var members: [RecordMember<Record>] = []

  private mutating func add(_ name: StaticString, _ access: RecordMember<Record>.Access, _ use: RecordMemberUse) {
    members.append(
      RecordMember(name, access, isRequired: use.contains(.required), isKeptOnly: use.contains(.kept)))
  }

  mutating func time(
    _ name: StaticString, _ get: @escaping MemberGetter<Record, Date>, _ set: @escaping MemberSetter<Record, Date>,
    _ use: RecordMemberUse
  ) {
    add(name, .time(get, set), use)
  }

  mutating func angle(
    _ name: StaticString, _ get: @escaping MemberGetter<Record, Double>, _ set: @escaping MemberSetter<Record, Double>,
    _ use: RecordMemberUse
  ) {
    add(name, .angle(get, set), use)
  }

  mutating func measure(
    _ name: StaticString, _ get: @escaping MemberGetter<Record, Double>, _ set: @escaping MemberSetter<Record, Double>,
    _ use: RecordMemberUse
  ) {
    add(name, .measure(get, set), use)
  }

  mutating func whole(
    _ name: StaticString, _ get: @escaping MemberGetter<Record, Int>, _ set: @escaping MemberSetter<Record, Int>,
    _ use: RecordMemberUse
  ) {
    add(name, .whole(get, set), use)
  }

  mutating func text(
    _ name: StaticString, _ get: @escaping MemberGetter<Record, String>,
    _ set: @escaping @Sendable (inout Record, String) -> Bool,
    _ use: RecordMemberUse
  ) {
    add(name, .text(get, set), use)
  }

  mutating func flag(
    _ name: StaticString, _ get: @escaping MemberGetter<Record, Bool>, _ set: @escaping MemberSetter<Record, Bool>,
    _ use: RecordMemberUse
  ) {
    add(name, .flag(get, set), use)
  }
}
