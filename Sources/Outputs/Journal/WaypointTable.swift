/// The times by which OwnTracks knows fences. A reader makes the table when it is asked for them first, for most journals are
/// not published.
enum WaypointTable {
  private static let definition = """
    CREATE TABLE IF NOT EXISTS waypoints (
      fence TEXT PRIMARY KEY,
      time INTEGER NOT NULL UNIQUE
    )
    """

  /// The times of fences, in seconds since 1970; each that has none gets the first one from `now` on that is free.
  static func times(of fences: [String], now: Int64, _ connection: Connection) throws(SQLiteError) -> [String: Int] {
    guard !fences.isEmpty else { return [:] }
    try connection.execute(definition)
    return try Transaction(connection).run { () throws(SQLiteError) in
      let enter = try connection.prepare(
        "INSERT OR IGNORE INTO waypoints VALUES (?1, max(?2, (SELECT ifnull(max(time) + 1, 0) FROM waypoints)))")
      let known = try connection.prepare("SELECT time FROM waypoints WHERE fence = ?")
      var times: [String: Int] = [:]
      for fence in fences {
        enter.bind(fence, at: 1)
        enter.bind(now, at: 2)
        try enter.run()
        known.bind(fence, at: 1)
        times[fence] = try known.first { $0.integer(0) }.map(Int.init)
      }
      return times
    }
  }
}
