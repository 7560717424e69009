import FoundationEssentials
import Records

/// The members of records as columns of a database's tables.
enum PostgreSQLColumns {
  /// The names, separated by commas.
  static func names<Record>(_ members: [RecordMember<Record>]) -> String {
    members.map(name).joined(separator: ", ")
  }

  static func name<Record>(_ member: RecordMember<Record>) -> String { "\"\(member.name)\"" }

  /// The name and the type of a column.
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

  /// A time as an SQL expression; `nil` outside the years 1678 to 2261.
  static func moment(_ time: Date) -> String? {
    time.microsecondsSince2000.map { microseconds in
      "'2000-01-01 00:00:00+00'::timestamptz + \(microseconds)::bigint * interval '1 microsecond'"
    }
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
