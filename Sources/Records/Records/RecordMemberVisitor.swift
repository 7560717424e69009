/// A record whose members are listed: a function shows them to a visitor one after the other.
///
/// The compiler specializes a writer for the list, so it writes a record as if the code for each member were written by
/// hand. Code that needs the members as values uses `RecordMember`'s lists.
protocol ListedRecord: Sendable {
  /// Shows the members of this kind of record. It has to be inlined; otherwise the visitor is called for each member.
  static func showMembers(to visitor: inout some RecordMemberVisitor<Self> & ~Copyable)
}

protocol RecordMemberVisitor<Record>: ~Copyable {
  associatedtype Record: Sendable

  mutating func member(_ name: StaticString, _ access: RecordMember<Record>.Access, _ use: RecordMemberUse)
}

extension RecordMemberVisitor where Self: ~Copyable {
  @inline(__always)
  mutating func member(_ name: StaticString, _ access: RecordMember<Record>.Access) { member(name, access, []) }
}

struct RecordMemberUse: OptionSet {
  var rawValue: UInt8
  static let required = Self(rawValue: 1 << 0)
  static let kept = Self(rawValue: 1 << 1)
}

struct RecordMemberList<Record: Sendable>: RecordMemberVisitor {
  private(set) var members: [RecordMember<Record>] = []

  mutating func member(_ name: StaticString, _ access: RecordMember<Record>.Access, _ use: RecordMemberUse) {
    members.append(
      RecordMember(name: name, access: access, isRequired: use.contains(.required), isKeptOnly: use.contains(.kept)))
  }
}
