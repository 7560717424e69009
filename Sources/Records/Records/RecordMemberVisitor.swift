/// A record whose members are listed: a function shows them to a visitor, one after the other.
///
/// So a writer is compiled together with the list that it is shown, and writes a record as if somebody had written out each
/// of its members. What needs the members as values has them from `RecordMember`'s lists.
protocol ListedRecord: Sendable {
  /// Shows the members of this kind of record. It has to be inlined, or the visitor is called for each member.
  static func showMembers(to visitor: inout some RecordMemberVisitor<Self> & ~Copyable)
}

/// What is shown the members of a kind of record.
protocol RecordMemberVisitor<Record>: ~Copyable {
  associatedtype Record: Sendable

  /// Takes the next member: its name, how it is read and set, and what it is for.
  mutating func member(_ name: StaticString, _ access: RecordMember<Record>.Access, _ use: RecordMemberUse)
}

extension RecordMemberVisitor where Self: ~Copyable {
  @inline(__always)
  mutating func member(_ name: StaticString, _ access: RecordMember<Record>.Access) { member(name, access, []) }
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

  mutating func member(_ name: StaticString, _ access: RecordMember<Record>.Access, _ use: RecordMemberUse) {
    members.append(RecordMember(name, access, isRequired: use.contains(.required), isKeptOnly: use.contains(.kept)))
  }
}
