import LocationKit

/// A text that is not a value of the member's kind.
package struct MemberFault: Error, Hashable {
  package enum Kind { case time, number, text }

  package var kind: Kind
  /// At most forty bytes of the text.
  package var text: String

  fileprivate init(_ kind: Kind, _ text: UnsafeBufferPointer<UInt8>) {
    (self.kind, self.text) = (kind, String(decoding: text.prefix(40), as: UTF8.self))
  }
}

/// Reads the members of locations from their texts. All records of a recording usually have the same source, so the text
/// that was read last is kept.
package struct MemberReader: Sendable {
  package var timestamps = TimestampReader()
  private var bytes: [UInt8] = []
  private var last: String?

  package init() {}

  package mutating func set(
    _ member: RecordMember<Location>, of location: inout Location, to text: UnsafeBufferPointer<UInt8>,
    decode: (UnsafeBufferPointer<UInt8>) -> String? = { String(decoding: $0, as: UTF8.self) }
  ) -> MemberFault? {
    switch member.access {
    case .time(_, let set):
      guard let time = timestamps.read(text) else { return MemberFault(.time, text) }
      set(&location, time)
    case .angle(_, let set), .measure(_, let set):
      guard let number = Double(recorded: text) else { return MemberFault(.number, text) }
      set(&location, number)
    case .whole(_, let set):
      guard let number = Double(recorded: text) else { return MemberFault(.number, text) }
      if let whole = Int(exactly: number) {
        set(&location, whole)
      } else if number.isFinite {
        return MemberFault(.number, text)
      }
    case .text(_, let set):
      if last == nil || !bytes.elementsEqual(text) { (bytes, last) = (Array(text), decode(text)) }
      guard let last else { return MemberFault(.text, text) }
      _ = set(&location, last)
    case .flag(_, let set): set(&location, text.equals("true"))
    }
    return nil
  }
}

/// A location that is read from the members of a JSON record, one after the other.
package struct LocationMembers {
  private static let members = RecordMember.location.filter { !$0.isKeptOnly }

  /// The values so far. Its angles are NaN until they are read.
  package private(set) var location = Location(latitude: .nan, longitude: .nan)
  /// The member that comes next in a line of this program.
  private var next = 0

  package init() {}

  /// Reads one member; members of other records are ignored. Returns the fault if its value is invalid.
  package mutating func read(
    _ key: UnsafeBufferPointer<UInt8>, _ value: JSONReader.Value, _ values: inout MemberReader
  ) -> MemberFault? {
    guard let member = member(key) else { return nil }
    switch (member.access, value) {
    case (.flag(_, let set), .boolean(let isTrue)): set(&location, isTrue)
    case (.angle, .string(let text)), (.measure, .string(let text)), (.whole, .string(let text)):
      return MemberFault(.number, text)
    case (.flag, _), (.text, .number): break
    case (_, .string(let text)), (_, .number(let text)):
      return values.set(member, of: &location, to: text, decode: JSONReader.text)
    case (_, .boolean), (_, .nested), (_, .null): break
    }
    return nil
  }

  private mutating func member(_ key: UnsafeBufferPointer<UInt8>) -> RecordMember<Location>? {
    let members = Self.members
    for _ in members.indices {
      let index = next
      next = index + 1 < members.count ? index + 1 : 0
      if key.equals(members[index].name) { return members[index] }
    }
    return nil
  }
}
