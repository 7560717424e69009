import FoundationEssentials
import LocationKit
import Platform
import Records

/// This program's JSON lines: a location is a fix, an error of the code `locationUnknown` is a gap, and records of other
/// types say nothing of a track. A line that is no record, or a location without its position, is skipped.
struct NDJSONLines: LineFormat {
  private var timestamps = TimestampReader()
  private var sources = SourceCache()

  mutating func read(_ bytes: UnsafeBufferPointer<UInt8>, line: Int, _ emit: (DecodedRecord) -> Void) {
    var record = TrackRecord()
    var reader = JSONReader(bytes)
    do throws(JSONError) {
      try reader.forEachMember { record.take($0, $1, &timestamps, &sources) }
    } catch {
      record.fail(.damaged, error.description)
    }
    do throws(RecordFault) {
      if let fault = record.fault { throw fault }
      switch record.type {
      case .location: emit(.event(.fix(try record.location())))
      case .error where record.isLoss: emit(.event(.gap))
      case nil: throw RecordFault(.damaged, "is no record of this program: it has no type")
      default: break
      }
    } catch {
      emit(.skipped(error, line: line))
    }
  }
}

/// What a line has said so far.
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
  /// The first thing that is wrong with it.
  private(set) var fault: RecordFault?
  private var draft = Location(latitude: .nan, longitude: .nan)
  /// The member that comes next in a line of this program's.
  private var next = 0

  func location() throws(RecordFault) -> Location { try draft.checked() }

  mutating func fail(_ kind: SkippedRecord.Kind, _ words: String) {
    if fault == nil { fault = RecordFault(kind, words) }
  }

  mutating func take(
    _ key: UnsafeBufferPointer<UInt8>, _ value: JSONReader.Value, _ timestamps: inout TimestampReader,
    _ sources: inout SourceCache
  ) {
    switch value {
    case .string(let text):
      if key.equals("type") {
        type = text.equals("location") ? .location : text.equals("error") ? .error : .other
      } else if key.equals("code") {
        isLoss = text.equals("locationUnknown")
      } else if let member = member(key) {
        take(text, member, &timestamps, &sources)
      }
    case .number(let text):
      guard let number = Double(decimal: text) else { return fail(.number, "has a number that is none") }
      switch member(key)?.access {
      case .angle(_, let set), .measure(_, let set): set(&draft, number)
      case .whole(_, let set): if let whole = Int(exactly: number) { set(&draft, whole) }
      default: break
      }
    case .boolean(let isTrue):
      if case .flag(_, let set) = member(key)?.access { set(&draft, isTrue) }
    case .nested, .null: break
    }
  }

  private mutating func take(
    _ text: UnsafeBufferPointer<UInt8>, _ member: RecordMember<Location>, _ timestamps: inout TimestampReader,
    _ sources: inout SourceCache
  ) {
    switch member.access {
    case .time(_, let set):
      guard let time = timestamps.read(text) else { return fail(.time, "has a time that is none") }
      set(&draft, time)
    case .text(_, let set):
      guard let text = sources.text(text) else { return fail(.damaged, "has a \(member.name) that is no text") }
      _ = set(&draft, text)
    default: break
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

/// The text of the last source: all records of a recording have the same, as a rule.
private struct SourceCache {
  private var bytes: [UInt8] = []
  private var last: String?

  mutating func text(_ text: UnsafeBufferPointer<UInt8>) -> String? {
    if let last, bytes.elementsEqual(text) { return last }
    guard let new = JSONReader.text(text) else { return nil }
    (bytes, last) = (Array(text), new)
    return new
  }
}
