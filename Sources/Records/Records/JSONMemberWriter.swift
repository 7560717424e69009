/// Appends those members of a record to a JSON object that are known and can be written, without those that the journal alone
/// has. It holds the buffer meanwhile.
struct JSONMemberWriter<Record: Sendable>: ~Copyable, RecordMemberVisitor {
  var buffer: RecordBuffer
  let record: Record

  @inline(__always)
  mutating func member(_ name: StaticString, _ access: RecordMember<Record>.Access, _ use: RecordMemberUse) {
    if use.contains(.kept) { return }
    switch access {
    case .time(let get, _): buffer.appendMember(name, get(record))
    case .angle(let get, _): buffer.appendMember(name, get(record), places: .angle)
    case .measure(let get, _): buffer.appendMember(name, get(record))
    case .whole(let get, _): buffer.appendMember(name, get(record))
    case .text(let get, _): buffer.appendMember(name, get(record))
    case .flag(let get, _): buffer.appendMember(name, get(record))
    }
  }
}
