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

  private(set) var type: Kind?
  private(set) var isLoss = false
  private(set) var faults: [RecordFault] = []
  private var members = LocationMembers()

  func location() throws(RecordFault) -> Location { try members.location.checked() }

  mutating func read(_ key: UnsafeBufferPointer<UInt8>, _ value: JSONReader.Value, _ values: inout MemberReader) {
    if case .string(let text) = value, key.equals("type") {
      type = text.equals("location") ? .location : text.equals("error") ? .error : .other
    } else if case .string(let text) = value, key.equals("code") {
      isLoss = text.equals("locationUnknown")
    } else if let fault = members.read(key, value, &values) {
      faults.append(RecordFault(fault))
    }
  }
}
