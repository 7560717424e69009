import LocationKit
import Records

/// This program's JSON lines: a location is a fix, an error with the code `locationUnknown` is a gap, and records of
/// other types are ignored. A line that is not a record, or a location without its position, is skipped. An unreadable
/// value is left out.
struct NDJSONLines: LineFormat {
  private var timestamps = TimestampReader()
  private var sources = TextCache()

  mutating func read(_ bytes: UnsafeBufferPointer<UInt8>, line: Int, _ emit: (DecodedRecord) -> Void) {
    var record = TrackRecord()
    var reader = JSONReader(bytes)
    do throws(JSONError) {
      try reader.forEachMember { record.read($0, $1, &timestamps, &sources) }
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

  /// The members that a line may have.
  private static let members = RecordMember.location.filter { !$0.isKeptOnly }

  private(set) var type: Kind?
  private(set) var isLoss = false
  private(set) var faults: [RecordFault] = []
  private var draft = Location(latitude: .nan, longitude: .nan)
  /// The member that comes next in a line of this program.
  private var next = 0

  func location() throws(RecordFault) -> Location { try draft.checked() }

  mutating func read(
    _ key: UnsafeBufferPointer<UInt8>, _ value: JSONReader.Value, _ timestamps: inout TimestampReader,
    _ sources: inout TextCache
  ) {
    switch value {
    case .string(let text):
      if key.equals("type") {
        type = text.equals("location") ? .location : text.equals("error") ? .error : .other
      } else if key.equals("code") {
        isLoss = text.equals("locationUnknown")
      } else if let member = member(key) {
        readText(text, member, &timestamps, &sources)
      }
    case .number(let text):
      guard let member = member(key) else { return }
      switch member.access {
      case .text, .flag: break
      default: read(text, member, &timestamps)
      }
    case .boolean(let isTrue):
      if case .flag(_, let set) = member(key)?.access { set(&draft, isTrue) }
    case .nested, .null: break
    }
  }

  private mutating func read(
    _ text: UnsafeBufferPointer<UInt8>, _ member: RecordMember<Location>, _ timestamps: inout TimestampReader
  ) {
    if let fault = draft.set(member, text, &timestamps) { faults.append(fault) }
  }

  private mutating func readText(
    _ text: UnsafeBufferPointer<UInt8>, _ member: RecordMember<Location>, _ timestamps: inout TimestampReader,
    _ sources: inout TextCache
  ) {
    switch member.access {
    case .time: read(text, member, &timestamps)
    case .text(_, let set):
      guard let value = sources.text(text, decode: JSONReader.text) else { return faults.append(.invalid(.text, text)) }
      _ = set(&draft, value)
    case .angle, .measure, .whole: faults.append(.invalid(.number, text))
    case .flag: break
    }
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
