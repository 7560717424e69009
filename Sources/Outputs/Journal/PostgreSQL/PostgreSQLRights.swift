/// The rights that a user needs to write an existing journal, and those that are missing.
struct PostgreSQLRights {
  /// The rights to grant, table by table; empty when none is missing.
  let missing: [String]
  /// Whether this user may add columns and attach the partitions of new months.
  let ownsTables: Bool
  /// Whether this user may create tables in the same schema.
  let makesTables: Bool
  /// Whether the server accepts no rows at all, like a standby.
  let isReadOnly: Bool

  /// The rights that a writer needs for each table. ON CONFLICT DO UPDATE reads and updates rows. Creating a partition
  /// copies the definition of `locations`, which requires SELECT.
  private static let needs = [
    ("rxlocationd", ["SELECT"]), ("locations", ["SELECT", "INSERT"]), ("events", ["SELECT", "INSERT"]),
    ("devices", ["SELECT", "INSERT", "UPDATE"]), ("judged", ["SELECT", "INSERT", "UPDATE"]),
  ]

  /// Asks the server, which must have the tables.
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
