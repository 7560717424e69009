import FoundationEssentials
import Records

enum RecordColumns {
  static func names<Record>(_ members: [RecordMember<Record>]) -> String {
    members.map { "\($0.name)" }.joined(separator: ", ")
  }

  /// The names for reading a table, with NULL for columns that a table of an older program lacks.
  static func names<Record>(_ members: [RecordMember<Record>], in table: String, of connection: Connection)
    throws(JournalError) -> String
  {
    let columns = try columns(of: table, in: connection)
    return members.map { $0.isRequired || columns.contains("\($0.name)") ? "\($0.name)" : "NULL" }.joined(
      separator: ", ")
  }

  /// Statements that add missing columns to a table of an older program. Programs that do not know them leave them
  /// NULL.
  static func additions<Record>(_ members: [RecordMember<Record>], to table: String, of connection: Connection)
    throws(JournalError) -> [String]
  {
    let columns = try columns(of: table, in: connection)
    // The whole table is missing.
    if columns.isEmpty { return [] }
    return members.filter { !$0.isRequired && !columns.contains("\($0.name)") }.map {
      "ALTER TABLE \(table) ADD COLUMN \($0.name) \(type($0))"
    }
  }

  static func columns(of table: String, in connection: Connection) throws(JournalError) -> [String] {
    var names: [String] = []
    let rows = try connection.prepare("SELECT name FROM pragma_table_info(?)")
    rows.bind(table, at: 1)
    while try rows.step() { names.append(rows.text(0) ?? "") }
    return names
  }

  static func definitions<Record>(_ members: [RecordMember<Record>], allowsNull: Bool = false) -> String {
    members.map { "  \($0.name) \(type($0))\($0.isRequired && !allowsNull ? " NOT NULL" : "")" }.joined(
      separator: ",\n")
  }

  private static func type<Record>(_ member: RecordMember<Record>) -> String {
    switch member.access {
    case .time, .whole, .flag: "INTEGER"
    case .angle, .measure: "REAL"
    case .text: "TEXT"
    }
  }
}

/// A row of either database, whose columns count from 0. Values are `nil` for NULL.
protocol RecordRow {
  func integer(_ column: Int) -> Int64?
  func double(_ column: Int) -> Double?
  func text(_ column: Int) -> String?
  func flag(_ column: Int) -> Bool?
  func time(_ column: Int) -> Date?
}

extension RecordRow {
  /// Reads the columns from `first` on into a record. Returns false if a required one is missing.
  func read<Record>(_ members: [RecordMember<Record>], from first: Int = 0, into record: inout Record) -> Bool {
    for (column, member) in zip(first..., members) {
      let isRead =
        switch member.access {
        case .time(_, let set): time(column).map { set(&record, $0) } != nil
        case .angle(_, let set), .measure(_, let set): double(column).map { set(&record, $0) } != nil
        case .whole(_, let set): integer(column).map { set(&record, Int($0)) } != nil
        case .text(_, let set): text(column).map { set(&record, $0) } ?? false
        case .flag(_, let set): flag(column).map { set(&record, $0) } != nil
        }
      if !isRead && member.isRequired { return false }
    }
    return true
  }
}

extension Statement: RecordRow {
  func flag(_ column: Int) -> Bool? { integer(column).map { $0 != 0 } }
  func time(_ column: Int) -> Date? { integer(column).map(Date.init(nanosecondsSince1970:)) }

  func all<Record>(_ members: [RecordMember<Record>], _ unread: Record) throws(JournalError) -> [Record] {
    var records: [Record] = []
    while try step() {
      var record = unread
      if read(members, into: &record) { records.append(record) }
    }
    return records
  }

  func bind<Record>(_ members: [RecordMember<Record>], of record: Record, from first: Int) {
    for (index, member) in zip(first..., members) {
      switch member.access {
      case .time(let get, _): bind(get(record)?.nanosecondsSince1970, at: index)
      case .angle(let get, _), .measure(let get, _): bind(get(record), at: index)
      case .whole(let get, _): bind(get(record).map(Int64.init), at: index)
      case .text(let get, _): bind(get(record), at: index)
      case .flag(let get, _): bind(get(record).map { $0 ? Int64(1) : 0 }, at: index)
      }
    }
  }
}

extension Date {
  /// Nanoseconds since 1970-01-01 UTC; `nil` outside the years 1678 to 2261, the range of 64 bits.
  ///
  /// The value is rounded to microseconds: a `Double` of seconds has steps of a tenth of a microsecond today, so
  /// smaller digits are not meaningful. A text's 0.900 s are 900000000 ns.
  var nanosecondsSince1970: Int64? {
    // Seconds and fraction are converted separately, because their product would not keep microseconds.
    let seconds = timeIntervalSinceReferenceDate
    guard abs(seconds) < 8e9 else { return nil }
    let whole = seconds.rounded(.down)
    let microseconds = ((seconds - whole) * 1e6).rounded()
    return (Int64(whole) + Int64(Date.timeIntervalBetween1970AndReferenceDate)) * 1_000_000_000
      + Int64(microseconds) * 1000
  }

  /// The same `Date` as reading this time from text gives.
  init(nanosecondsSince1970 nanoseconds: Int64) {
    let (seconds, fraction) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    self.init(timeIntervalSince1970: Double(seconds) + Double(fraction) / 1e9)
  }
}
