import Foundation
import Glibc

/// A real PostgreSQL server with an empty database, on a socket in a folder of its own, and with a password on loopback. Killed
/// when released.
///
/// Blocking; every wait has a deadline.
package final class RealPostgreSQL {
  /// The newest server's programs, if one is installed that this user can start.
  package static let programs: String? = {
    let versions = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []
    let folders = versions.compactMap(Int.init).sorted(by: >).map { "/usr/lib/postgresql/\($0)/bin" }
    return folders.first { access($0 + "/initdb", X_OK) == 0 && (getuid() != 0 || owner != nil) }
  }()

  package static func has(extension name: String) -> Bool {
    let version = programs?.split(separator: "/").dropLast().last ?? ""
    return access("/usr/share/postgresql/\(version)/extension/\(name).control", R_OK) == 0
  }

  /// A server does not run as root.
  private static let owner: (user: uid_t, group: gid_t)? = getpwnam("postgres").map {
    ($0.pointee.pw_uid, $0.pointee.pw_gid)
  }

  package static let password = "a secret"
  package let folder: TemporaryFolder
  package let port: UInt16
  /// The database that `url` and `execute` use.
  package let database: String
  private var process: pid_t?

  package init() throws {
    (database, folder, port) = ("postgres", TemporaryFolder(), LoopbackSocket.unusedPort())
    if getuid() == 0, let owner = Self.owner { chown(folder.path, owner.user, owner.group) }
    let initdb = ["\(Self.programs ?? "")/initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8"]
    try runProgram(Self.asOwner + initdb + ["--no-sync", "--no-locale"], output: folder.file("output"))
    try "local all all trust\nhost all all 127.0.0.1/32 scram-sha-256\n".write(
      toFile: folder.file("data/pg_hba.conf"), atomically: false, encoding: .utf8)
    try start()
    try execute("CREATE ROLE ann LOGIN PASSWORD '\(Self.password)'; GRANT ALL ON SCHEMA public TO ann")
  }

  private static let shared: Result<(folder: TemporaryFolder, port: UInt16, process: pid_t), any Error> = Result {
    let server = try RealPostgreSQL()
    let process = server.process ?? 0
    server.process = nil
    atexit { _ = (try? RealPostgreSQL.shared.get()).map { Glibc.kill($0.process, SIGQUIT) } }
    return (server.folder, server.port, process)
  }

  /// A new database of the one server that tests share, because starting a server takes longer than most tests. It is for
  /// tests that neither stop the server nor need it for themselves.
  package static func newDatabase() throws -> RealPostgreSQL {
    let server = try shared.get()
    let name = "test_" + UUID().uuidString.replacing("-", with: "").lowercased()
    let database = RealPostgreSQL(database: name, folder: server.folder, port: server.port)
    try database.execute("CREATE DATABASE \(name)", database: "postgres")
    try database.execute("GRANT ALL ON SCHEMA public TO ann")
    return database
  }

  private init(database: String, folder: TemporaryFolder, port: UInt16) {
    (self.database, self.folder, self.port) = (database, folder, port)
  }

  // The server gives its shared memory back.
  deinit { kill(SIGQUIT) }

  private var data: String { folder.file("data") }

  /// The address of a database through the socket, where no password is needed.
  package func url(database: String? = nil) -> String {
    "postgresql://postgres@/\(database ?? self.database)?host=\(folder.path.replacing("/", with: "%2F"))&port=\(port)"
  }

  package func loopbackURL() -> String { "postgresql://ann@127.0.0.1:\(port)/\(database)" }

  package func start() throws {
    process = try spawnInBackground(
      Self.asOwner + [
        "\(Self.programs ?? "")/postgres", "-D", data, "-p", "\(port)", "-c", "unix_socket_directories=\(folder.path)",
        "-c", "listen_addresses=127.0.0.1",
        "-c", "fsync=off", "-c", "log_min_messages=warning",
      ], output: folder.file("log"))
    let answers = eventuallyBlocking(within: 120) { (try? execute("SELECT 1")) != nil }
    guard answers else { throw SupportError("the server did not answer: \(contents(folder.file("log")))") }
  }

  /// Ends the server with `number`, as a crash does by itself, and waits for its end.
  package func kill(_ number: Int32 = SIGKILL) {
    guard let process else { return }
    var children: [pid_t] = []
    if number == SIGKILL {
      // It has a process for each connection, which would go on for a moment. A stopped server starts no more of them.
      Glibc.kill(process, SIGSTOP)
      let list = contents("/proc/\(process)/task/\(process)/children")
      children = list.split(separator: " ").compactMap { pid_t($0) }
    }
    for process in [process] + children { Glibc.kill(process, number) }
    _ = waitForEnd(of: process)
    self.process = nil
    // A new server refuses to start while one of them still has the shared memory.
    _ = eventuallyBlocking { !children.contains(where: Self.isRunning) }
  }

  /// Whether there is such a process that has not ended.
  private static func isRunning(_ process: pid_t) -> Bool {
    let status = contents("/proc/\(process)/stat")
    return !status.isEmpty && !status.contains(") Z ")
  }

  /// The lines that a statement answers, with "|" between columns.
  @discardableResult
  package func execute(_ statement: String, database: String? = nil) throws -> [String] {
    let output = folder.file("output-\(UUID().uuidString)")
    defer { unlink(output) }
    try runProgram(
      ["\(Self.programs ?? "")/psql", "-qAtX", "-v", "ON_ERROR_STOP=1", url(database: database), "-c", statement],
      output: output)
    return contents(output).split(separator: "\n").map(String.init)
  }

  /// A transaction that somebody else has begun.
  package struct Transaction {
    fileprivate let program: BackgroundProgram

    /// Ends it, with whatever it waits for.
    package func end() { program.end(SIGKILL) }
  }

  /// Begins a transaction with these statements, in the background.
  package func begin(_ statements: String) throws -> Transaction {
    let words = ["\(Self.programs ?? "")/psql", "-qAtX", url(), "-c", "BEGIN; \(statements)"]
    return Transaction(program: try BackgroundProgram(words, output: folder.file("transaction")))
  }

  /// What runs the command behind it as the owner.
  private static var asOwner: [String] {
    guard getuid() == 0, let owner else { return [] }
    return ["/usr/bin/setpriv", "--reuid=\(owner.user)", "--regid=\(owner.group)", "--clear-groups"]
  }
}
