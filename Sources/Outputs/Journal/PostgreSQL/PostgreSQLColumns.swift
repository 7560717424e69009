import FoundationEssentials
import Records

/// The members of records as columns of a database's tables.
enum PostgreSQLColumns {
  /// The names, with commas between them.
  static func names<Record>(_ members: [RecordMember<Record>]) -> String {
    members.map(name).joined(separator: ", ")
  }

  static func name<Record>(_ member: RecordMember<Record>) -> String { "\"\(member.name)\"" }

  /// The type of a column. The one of rows that come in has times in microseconds since 1970, which no server rounds.
  static func type<Record>(_ member: RecordMember<Record>, incoming: Bool = false) -> String {
    switch member.access {
    case .time: incoming ? "bigint" : "timestamptz"
    case .whole: "bigint"
    case .angle, .measure: "double precision"
    case .text: "text"
    case .flag: "boolean"
    }
  }

  /// What reads rows that have come in.
  static func incoming<Record>(_ members: [RecordMember<Record>]) -> String {
    members.map { member in
      if case .time = member.access { return moment(name(member)) }
      return name(member)
    }
    .joined(separator: ", ")
  }

  /// What reads the columns of a table, with times as they came in.
  static func outgoing<Record>(_ members: [RecordMember<Record>]) -> String {
    members.map { member in
      if case .time = member.access { return "(extract(epoch FROM \(name(member))) * 1000000)::bigint" }
      return name(member)
    }
    .joined(separator: ", ")
  }

  /// A moment of so many microseconds since 1970.
  static func moment(_ microseconds: String) -> String {
    "'epoch'::timestamptz + \(microseconds) * interval '1 microsecond'"
  }

  /// Takes a row's columns into a record. Returns false when one is missing without which there is none.
  static func read<Record>(
    _ members: [RecordMember<Record>], of row: Int, in rows: PostgreSQLConnection.Rows, into record: inout Record
  ) -> Bool {
    for (column, member) in members.enumerated() {
      let text = rows.text(row, column)
      let isRead =
        switch member.access {
        case .time(_, let set):
          text.flatMap(Int64.init).map { set(&record, Date(microsecondsSince1970: $0)) } != nil
        case .angle(_, let set), .measure(_, let set): text.flatMap(Double.init).map { set(&record, $0) } != nil
        case .whole(_, let set): text.flatMap(Int.init).map { set(&record, $0) } != nil
        case .text(_, let set): text.map { set(&record, $0) } ?? false
        case .flag(_, let set): text.map { set(&record, $0 == "t") } != nil
        }
      if !isRead && member.isRequired { return false }
    }
    return true
  }
}

extension Date {
  /// Microseconds since 1970-01-01 UTC; `nil` outside the years 1678 to 2261.
  var microsecondsSince1970: Int64? {
    nanosecondsSince1970.map { Int64((Double($0 % 1_000_000_000) / 1000).rounded()) + $0 / 1_000_000_000 * 1_000_000 }
  }

  init(microsecondsSince1970 microseconds: Int64) {
    let (seconds, fraction) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
    self.init(nanosecondsSince1970: seconds * 1_000_000_000 + fraction * 1000)
  }
}
