/// The times by which OwnTracks identifies fences. A reader creates the table at the first request, because most
/// journals are not published.
enum WaypointTable {
  private static let definition = """
    CREATE TABLE IF NOT EXISTS waypoints (
      fence TEXT PRIMARY KEY,
      time INTEGER NOT NULL UNIQUE
    )
    """

  /// All times, in seconds since 1970. Each of `fences` without a time gets one from `now` on, after all others.
  static func times(of fences: [String], now: Int64, _ connection: Connection) throws(SQLiteError) -> [String: Int] {
    try connection.execute(definition)
    return try Transaction(connection).run { () throws(SQLiteError) in
      let enter = try connection.prepare(
        "INSERT OR IGNORE INTO waypoints VALUES (?1, max(?2, (SELECT ifnull(max(time) + 1, 0) FROM waypoints)))")
      for fence in fences {
        enter.bind(fence, at: 1)
        enter.bind(now, at: 2)
        try enter.run()
      }
      let rows = try connection.prepare("SELECT fence, time FROM waypoints")
      var times: [String: Int] = [:]
      while try rows.step() {
        if let fence = rows.text(0), let time = rows.integer(1) { times[fence] = Int(time) }
      }
      return times
    }
  }
}
