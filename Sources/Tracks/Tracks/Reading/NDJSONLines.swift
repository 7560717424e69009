import LocationKit
import Records

/// This program's JSON lines: a location is a fix, an error with the code `locationUnknown` is a gap, and records of
/// other types are ignored. A line that is not a record, or a location without its position, is skipped. An unreadable
/// value is left out.
struct NDJSONLines: LineFormat {
  private var values = MemberReader()

  mutating func read(_ bytes: UnsafeBufferPointer<UInt8>, line: Int, _ emit: (DecodedRecord) -> Void) {
    var record = TrackRecord()
    var reader = JSONReader(bytes)
    do throws(JSONError) {
      try reader.forEachMember { record.read($0, $1, &values) }
    } catch {
      return emit(.skipped(RecordFault(.damaged, error.description), line: line))
    }
    do throws(RecordFault) {
      switch record.type {
      case .location:
        let fix = try record.location()
        for fault in record.faults { emit(.skipped(fault, line: line)) }
        emit(.event(.fix(fix)))
      case .error where record.isLoss: emit(.event(.gap))
      case nil: throw RecordFault(.damaged, "is not a record of this program: it has no type")
      default: break
      }
    } catch {
      emit(.skipped(error, line: line))
    }
  }
}

/// The contents of a line that were read so far.
private struct TrackRecord {
  enum Kind {
    case location
    case error
    case other
  }

  private static let members = RecordMember.location.filter { !$0.isKeptOnly }

  private(set) var type: Kind?
  private(set) var isLoss = false
  private(set) var faults: [RecordFault] = []
  private var draft = Location(latitude: .nan, longitude: .nan)
  /// The member that comes next in a line of this program.
  private var next = 0

  func location() throws(RecordFault) -> Location { try draft.checked() }

  mutating func read(_ key: UnsafeBufferPointer<UInt8>, _ value: JSONReader.Value, _ values: inout MemberReader) {
    if case .string(let text) = value, key.equals("type") {
      type = text.equals("location") ? .location : text.equals("error") ? .error : .other
    } else if case .string(let text) = value, key.equals("code") {
      isLoss = text.equals("locationUnknown")
    } else if let member = member(key) {
      read(member, value, &values)
    }
  }

  private mutating func read(
    _ member: RecordMember<Location>, _ value: JSONReader.Value, _ values: inout MemberReader
  ) {
    var fault: RecordFault?
    switch (member.access, value) {
    case (.flag(_, let set), .boolean(let isTrue)): set(&draft, isTrue)
    case (.angle, .string(let text)), (.measure, .string(let text)), (.whole, .string(let text)):
      fault = .invalid(.number, text)
    case (.flag, _), (.text, .number): break
    case (_, .string(let text)), (_, .number(let text)):
      fault = values.set(member, of: &draft, to: text, decode: JSONReader.text)
    case (_, .boolean), (_, .nested), (_, .null): break
    }
    if let fault { faults.append(fault) }
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
