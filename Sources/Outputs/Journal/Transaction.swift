/// The statements of a write transaction.
final class Transaction {
  private let connection: Connection
  private let begin: Statement
  private let commit: Statement
  private let rollback: Statement

  init(_ connection: Connection) throws(SQLiteError) {
    self.connection = connection
    begin = try connection.prepare("BEGIN IMMEDIATE")
    commit = try connection.prepare("COMMIT")
    rollback = try connection.prepare("ROLLBACK")
  }

  /// Runs `body` in a transaction, which is rolled back if it throws.
  func run<Result>(_ body: () throws(SQLiteError) -> Result) throws(SQLiteError) -> Result {
    try begin.run()
    do throws(SQLiteError) {
      let result = try body()
      try commit.run()
      return result
    } catch {
      // Some failures end the transaction by themselves.
      if connection.isInTransaction { try? rollback.run() }
      throw error
    }
  }
}
