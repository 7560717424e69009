import FoundationEssentials

/// Appends those members of a record to a JSON object that are known and can be written, without those that the journal alone
/// has. It holds the buffer meanwhile.
struct JSONMemberWriter<Record: Sendable>: ~Copyable, RecordMemberVisitor {
  var buffer: RecordBuffer
  let record: Record

  @inline(__always)
  mutating func time(
    _ name: StaticString, _ get: @escaping MemberGetter<Record, Date>, _ set: @escaping MemberSetter<Record, Date>,
    _ use: RecordMemberUse
  ) {
    if !use.contains(.kept) { buffer.appendMember(name, get(record)) }
  }

  @inline(__always)
  mutating func angle(
    _ name: StaticString, _ get: @escaping MemberGetter<Record, Double>, _ set: @escaping MemberSetter<Record, Double>,
    _ use: RecordMemberUse
  ) {
    if !use.contains(.kept) { buffer.appendMember(name, get(record), places: .angle) }
  }

  @inline(__always)
  mutating func measure(
    _ name: StaticString, _ get: @escaping MemberGetter<Record, Double>, _ set: @escaping MemberSetter<Record, Double>,
    _ use: RecordMemberUse
  ) {
    if !use.contains(.kept) { buffer.appendMember(name, get(record)) }
  }

  @inline(__always)
  mutating func whole(
    _ name: StaticString, _ get: @escaping MemberGetter<Record, Int>, _ set: @escaping MemberSetter<Record, Int>,
    _ use: RecordMemberUse
  ) {
    if !use.contains(.kept) { buffer.appendMember(name, get(record)) }
  }

  @inline(__always)
  mutating func text(
    _ name: StaticString, _ get: @escaping MemberGetter<Record, String>,
    _ set: @escaping @Sendable (inout Record, String) -> Bool,
    _ use: RecordMemberUse
  ) {
    if !use.contains(.kept) { buffer.appendMember(name, get(record)) }
  }

  @inline(__always)
  mutating func flag(
    _ name: StaticString, _ get: @escaping MemberGetter<Record, Bool>, _ set: @escaping MemberSetter<Record, Bool>,
    _ use: RecordMemberUse
  ) {
    if !use.contains(.kept) { buffer.appendMember(name, get(record)) }
  }
}
