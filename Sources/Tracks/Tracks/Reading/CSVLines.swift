import LocationKit
import Records

/// This program's comma-separated values: a header with the names of the members, in any order, then a line for each
/// fix. A changed value in the column `segment` is a gap, and so is a further header. Columns with other names are
/// ignored. A field may be quoted as in RFC 4180, on one line.
struct CSVLines: LineFormat {
  /// The members in the columns; `nil` for other columns, and before the header.
  private var columns: [RecordMember<Location>?] = []
  private var segmentColumn: Int?
  private var hasFix = false
  private var segment: [UInt8]?
  private var values = MemberReader()

  /// Whether a line is a header that has a position.
  static func isHeader(_ line: some Sequence<UInt8>) -> Bool { hasNames(line, "latitude", "longitude") }

  /// Whether a file with this beginning marks its gaps: whether its header has the column `segment`.
  static func knowsSegments(_ head: [UInt8]) -> Bool {
    let start = head.drop { [0xEF, 0xBB, 0xBF].contains($0) || $0.isSpace }
    return hasNames(start.prefix { $0 != 0x0A }, "segment")
  }

  private static func hasNames(_ line: some Sequence<UInt8>, _ names: String...) -> Bool {
    let found = Array(line).withUnsafeBufferPointer { fields(of: $0) ?? [] }
    return names.allSatisfy { found.contains(Array($0.utf8)) }
  }

  mutating func read(_ bytes: UnsafeBufferPointer<UInt8>, line: Int, _ emit: Emit) throws(RecordFault) {
    guard let fields = Self.fields(of: bytes) else {
      throw RecordFault(.damaged, "has a quotation mark that is not closed")
    }
    // Files that were put together have another header in the middle.
    if Self.isHeader(bytes) {
      columns = fields.map { field in
        RecordMember.location.first { !$0.isKeptOnly && field.elementsEqual($0.name.description.utf8) }
      }
      segmentColumn = fields.firstIndex { $0.elementsEqual("segment".utf8) }
      if hasFix { emit(.event(.gap)) }
      (hasFix, segment) = (false, nil)
    } else {
      let fix = try location(fields) { emit(.skipped($0, line: line)) }
      let last = segment
      segment = segmentColumn.map { fields[$0] }
      if hasFix, segment != last { emit(.event(.gap)) }
      hasFix = true
      emit(.event(.fix(fix)))
    }
  }

  private mutating func location(_ fields: [[UInt8]], _ report: (RecordFault) -> Void) throws(RecordFault) -> Location {
    guard fields.count == columns.count else {
      throw RecordFault(.damaged, "has \(fields.count) fields, but the header has \(columns.count)")
    }
    var draft = Location(latitude: .nan, longitude: .nan)
    var faults: [RecordFault] = []
    for (column, field) in zip(columns, fields) where !field.isEmpty {
      guard let column else { continue }
      let fault = field.withUnsafeBufferPointer { values.set(column, of: &draft, to: $0) }
      if let fault { faults.append(RecordFault(fault)) }
    }
    let fix = try draft.checked()
    faults.forEach(report)
    return fix
  }

  /// The fields of a line, without their quotation marks; `nil` if a quotation is not closed.
  private static func fields(of line: UnsafeBufferPointer<UInt8>) -> [[UInt8]]? {
    let (quote, comma) = (UInt8(ascii: "\""), UInt8(ascii: ","))
    var fields: [[UInt8]] = [[]]
    var isQuoted = false
    var index = 0
    while index < line.count {
      let byte = line[index]
      index += 1
      if isQuoted {
        if byte != quote {
          fields[fields.count - 1].append(byte)
        } else if index < line.count, line[index] == quote {
          fields[fields.count - 1].append(quote)
          index += 1
        } else {
          isQuoted = false
        }
      } else if byte == quote {
        isQuoted = true
      } else if byte == comma {
        fields.append([])
      } else if byte != 0x0D || index < line.count {
        fields[fields.count - 1].append(byte)
      }
    }
    return isQuoted ? nil : fields
  }
}
