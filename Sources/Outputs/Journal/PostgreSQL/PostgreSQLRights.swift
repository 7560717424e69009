/// What a user needs to write a journal that is there, and what of it is missing.
struct PostgreSQLRights {
  /// What to grant, table by table; empty when nothing is missing.
  let missing: [String]
  /// Whether columns can be added, and the parts of new months attached.
  let ownsTables: Bool
  /// Whether tables can be made where the others are.
  let makesTables: Bool
  /// Whether the server takes rows of anybody, which a standby does not.
  let isReadOnly: Bool

  /// What a writer does with each table. ON CONFLICT DO UPDATE reads and updates what is there, and who makes a part of
  /// `locations` copies how that is made, which is reading.
  private static let needs = [
    ("rxlocationd", ["SELECT"]), ("locations", ["SELECT", "INSERT"]), ("events", ["SELECT", "INSERT"]),
    ("devices", ["SELECT", "INSERT", "UPDATE"]), ("judged", ["SELECT", "INSERT", "UPDATE"]),
  ]

  /// Asks the server, which has the tables.
  init(_ connection: PostgreSQLConnection) throws(JournalError) {
    let questions = Self.needs.flatMap { table, rights in
      rights.map { "has_table_privilege('\(table)', '\($0)')" }
    }
    let owner = "pg_has_role(relowner, 'USAGE')"
    let rows = try connection.rows(
      """
      SELECT \(questions.joined(separator: ", ")), has_database_privilege(current_database(), 'TEMPORARY'),
        (SELECT bool_and(\(owner)) FROM pg_class WHERE oid IN ('locations'::regclass, 'events'::regclass,
          'devices'::regclass, 'judged'::regclass)),
        has_schema_privilege(current_schema(), 'CREATE'), current_setting('transaction_read_only') = 'on'
      """)
    var column = 0
    func next() -> Bool {
      defer { column += 1 }
      return rows.text(0, column) == "t"
    }
    var missing: [String] = []
    for (table, rights) in Self.needs {
      let lacking = rights.filter { _ in !next() }
      if !lacking.isEmpty { missing.append("\(lacking.joined(separator: ", ")) ON \(table)") }
    }
    if !next() { missing.append("TEMPORARY on the database") }
    self.missing = missing
    (ownsTables, makesTables, isReadOnly) = (next(), next(), next())
  }
}
