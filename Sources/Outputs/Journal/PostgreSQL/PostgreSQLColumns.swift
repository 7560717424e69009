import FoundationEssentials
import Records

/// The members of records as columns of a database's tables.
enum PostgreSQLColumns {
  /// The names, separated by commas.
  static func names<Record>(_ members: [RecordMember<Record>]) -> String {
    members.map(name).joined(separator: ", ")
  }

  static func name<Record>(_ member: RecordMember<Record>) -> String { "\"\(member.name)\"" }

  /// The name and the type of each column.
  static func definitions<Record>(_ members: [RecordMember<Record>]) -> [String] {
    members.map { "\(name($0)) \(type($0))" }
  }

  static func type<Record>(_ member: RecordMember<Record>) -> String {
    switch member.access {
    case .time: "timestamptz"
    case .whole: "bigint"
    case .angle, .measure: "double precision"
    case .text: "text"
    case .flag: "boolean"
    }
  }

  /// A time as an SQL expression; `nil` outside the years 1678 to 2261.
  static func moment(_ time: Date) -> String? {
    time.microsecondsSince2000.map { microseconds in
      "'2000-01-01 00:00:00+00'::timestamptz + \(microseconds)::bigint * interval '1 microsecond'"
    }
  }

  /// Reads a row's columns, in the binary format, into a record. Returns false if a required one is missing.
  static func read<Record>(
    _ members: [RecordMember<Record>], of row: Int, in rows: PostgreSQLConnection.Rows, into record: inout Record
  ) -> Bool {
    for (column, member) in members.enumerated() {
      let isRead =
        switch member.access {
        case .time(_, let set):
          rows.integer(row, column).map { set(&record, Date(microsecondsSince2000: $0)) } != nil
        case .angle(_, let set), .measure(_, let set):
          rows.integer(row, column).map { set(&record, Double(bitPattern: UInt64(bitPattern: $0))) } != nil
        case .whole(_, let set): rows.integer(row, column).map { set(&record, Int($0)) } != nil
        case .text(_, let set): rows.text(row, column).map { set(&record, $0) } ?? false
        case .flag(_, let set): rows.flag(row, column).map { set(&record, $0) } != nil
        }
      if !isRead && member.isRequired { return false }
    }
    return true
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
