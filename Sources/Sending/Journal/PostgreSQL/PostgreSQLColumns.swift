import FoundationEssentials
import Records

enum PostgreSQLColumns {
  static func names<Record>(_ members: [RecordMember<Record>]) -> String {
    members.map(name).joined(separator: ", ")
  }

  static func name<Record>(_ member: RecordMember<Record>) -> String { "\"\(member.name)\"" }

  static func definition<Record>(_ member: RecordMember<Record>) -> String {
    let type =
      switch member.access {
      case .time: "timestamptz"
      case .whole: "bigint"
      case .angle, .measure: "double precision"
      case .text: "text"
      case .flag: "boolean"
      }
    return "\(name(member)) \(type)"
  }

  /// A time of a parameter with microseconds since 2000.
  static func time(_ parameter: String) -> String {
    "'2000-01-01 00:00:00+00'::timestamptz + \(parameter)::bigint * interval '1 microsecond'"
  }
}

extension Date {
  private static let secondsFrom1970To2000: Int64 = 946_684_800

  /// Microseconds since 2000-01-01 UTC, the server's epoch; `nil` outside the years 1678 to 2261.
  var microsecondsSince2000: Int64? {
    nanosecondsSince1970.map { nanoseconds in
      let (seconds, fraction) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
      return (seconds - Self.secondsFrom1970To2000) * 1_000_000 + fraction / 1000
    }
  }

  init(microsecondsSince2000 microseconds: Int64) {
    let (seconds, fraction) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
    self.init(nanosecondsSince1970: (seconds + Self.secondsFrom1970To2000) * 1_000_000_000 + fraction * 1000)
  }
}

/// Rows in COPY's binary format: a number of fields, then each field's length and bytes.
struct PostgreSQLCopy {
  private static let signature = Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0x00]

  private var rows: [UInt8] = []
  private(set) var count = 0

  /// Adds a row with a record's members and the additional columns for many devices.
  mutating func add<Record>(_ members: [RecordMember<Record>], of value: Record, with record: DeviceRecord) {
    append(Int16(members.count + DeviceColumn.count))
    for member in members {
      switch member.access {
      case .time(let get, _): add(get(value)?.microsecondsSince2000)
      case .angle(let get, _), .measure(let get, _): add(get(value).map { Int64(bitPattern: $0.bitPattern) })
      case .whole(let get, _): add(get(value).map(Int64.init))
      case .text(let get, _): add(get(value))
      case .flag(let get, _): add(get(value))
      }
    }
    add(record.message)
    add(record.received.microsecondsSince2000)
    add(record.isAhead ? true : nil)
    count += 1
  }

  /// All rows, with the format's header and trailer.
  var bytes: [UInt8] {
    // No flags and no header extension; the trailer is a row of -1 fields.
    Self.signature + [UInt8](repeating: 0, count: 8) + rows + [0xFF, 0xFF]
  }

  private mutating func append(_ number: some FixedWidthInteger) {
    withUnsafeBytes(of: number.bigEndian) { rows.append(contentsOf: $0) }
  }

  private mutating func add(_ field: Int64?) {
    guard let field else { return addNull() }
    append(Int32(8))
    append(field)
  }

  private mutating func add(_ field: Bool?) {
    guard let field else { return addNull() }
    append(Int32(1))
    rows.append(field ? 1 : 0)
  }

  private mutating func add(_ field: String?) {
    guard let field else { return addNull() }
    // A text in PostgreSQL cannot contain a zero byte.
    let text = field.replacing("\0", with: "\u{FFFD}")
    append(Int32(text.utf8.count))
    rows.append(contentsOf: text.utf8)
  }

  private mutating func addNull() { append(Int32(-1)) }
}
