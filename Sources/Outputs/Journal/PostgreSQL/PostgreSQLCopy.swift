import Records

/// Rows as COPY takes them: fields with tabs between them.
struct PostgreSQLCopy {
  private(set) var bytes: [UInt8] = []
  private(set) var count = 0
  private var isFirst = true

  /// Adds the fields of a record's members.
  mutating func add<Record>(_ members: [RecordMember<Record>], of record: Record) {
    for member in members {
      switch member.access {
      case .time(let get, _): add((get(record)?.microsecondsSince1970).map { "\($0)" })
      case .angle(let get, _), .measure(let get, _): add(get(record).map { "\($0)" })
      case .whole(let get, _): add(get(record).map { "\($0)" })
      case .text(let get, _): add(text: get(record))
      case .flag(let get, _): add(get(record).map { $0 ? "t" : "f" })
      }
    }
  }

  /// Adds a field that has nothing to be escaped; `nil` is NULL.
  mutating func add(_ field: String?) {
    separate()
    bytes.append(contentsOf: (field ?? "\\N").utf8)
  }

  /// Adds a field of any characters; `nil` is NULL. A database has no zero byte in a text.
  mutating func add(text: String?) {
    guard let text else { return add(nil) }
    separate()
    for byte in text.utf8 {
      switch byte {
      case 0: bytes.append(contentsOf: "\u{FFFD}".utf8)
      case UInt8(ascii: "\\"): bytes.append(contentsOf: "\\\\".utf8)
      case UInt8(ascii: "\t"): bytes.append(contentsOf: "\\t".utf8)
      case UInt8(ascii: "\n"): bytes.append(contentsOf: "\\n".utf8)
      case UInt8(ascii: "\r"): bytes.append(contentsOf: "\\r".utf8)
      default: bytes.append(byte)
      }
    }
  }

  /// Ends a row.
  mutating func endRow() {
    bytes.append(UInt8(ascii: "\n"))
    count += 1
    isFirst = true
  }

  private mutating func separate() {
    if !isFirst { bytes.append(UInt8(ascii: "\t")) }
    isFirst = false
  }
}
