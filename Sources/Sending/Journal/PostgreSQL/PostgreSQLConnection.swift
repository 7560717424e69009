import CPostgreSQL
import FoundationEssentials
import Glibc
import Platform
import SystemPackage

/// A connection to a PostgreSQL server through libpq. One thread at a time uses it. It waits for the server up to
/// `patience`, because a server that hangs looks like a slow one whose host still answers.
final class PostgreSQLConnection {
  final class Rows {
    private let result: OpaquePointer
    let count: Int

    fileprivate init(_ result: OpaquePointer) {
      self.result = result
      count = Int(cpostgresql_ntuples(result))
    }

    deinit { cpostgresql_clear(result) }

    var texts: [String] { (0..<count).compactMap { self[$0].text(0) } }

    subscript(row: Int) -> Row { Row(rows: self, result: result, row: Int32(row)) }
  }

  /// A row of a result. Numbers, times and booleans are read from the binary format.
  struct Row: RecordRow {
    let rows: Rows
    fileprivate let result: OpaquePointer
    fileprivate let row: Int32

    private func value(_ column: Int) -> UnsafePointer<CChar>? { cpostgresql_getvalue(result, row, Int32(column)) }

    func text(_ column: Int) -> String? { value(column).map { String(cString: $0) } }

    func integer(_ column: Int) -> Int64? {
      guard let value = value(column), cpostgresql_getlength(result, row, Int32(column)) == 8 else { return nil }
      return Int64(bigEndian: UnsafeRawPointer(value).loadUnaligned(as: Int64.self))
    }

    func double(_ column: Int) -> Double? { integer(column).map { Double(bitPattern: UInt64(bitPattern: $0)) } }

    func flag(_ column: Int) -> Bool? { value(column).map { $0.pointee != 0 } }

    func time(_ column: Int) -> Date? { integer(column).map(Date.init(microsecondsSince2000:)) }
  }

  fileprivate static let isLoaded = cpostgresql_load()

  private let connection: OpaquePointer
  let address: PostgreSQLAddress
  /// Seconds to wait for an answer.
  var patience = 30.0
  /// The deadline for the current answer, on the monotonic clock.
  private var deadline = 0.0
  /// The server's last unsolicited message, such as the reason for ending the connection.
  private(set) var remark: String?

  /// Connects within ten seconds, unless the URL sets another limit.
  init(_ address: PostgreSQLAddress, passwordFile: String?) throws(JournalError) {
    self.address = address
    let password = try passwordFile.map { path throws(JournalError) in try address.password(in: path) }
    guard let connection = cpostgresql_connect(address.url, password) else {
      throw address.error(.inputOutput, "cannot be reached: there is no memory")
    }
    self.connection = connection
    guard cpostgresql_status(connection) == CONNECTION_OK else { throw refusal }
    let encoding = cpostgresql_parameterStatus(connection, "server_encoding").map { String(cString: $0) }
    guard encoding == "UTF8" else {
      throw address.error(
        .cannotOpen,
        "has texts in \(encoding ?? "an encoding that is not known"), not in UTF8; make a database that has")
    }
    guard cpostgresql_setnonblocking(connection, 1) == 0 else { throw failure() }
    // Without this, libpq would write the server's notices to standard error.
    let processor: PQnoticeProcessor = { context, text in
      guard let context, let text else { return }
      let connection = Unmanaged<PostgreSQLConnection>.fromOpaque(context).takeUnretainedValue()
      connection.remark = PostgreSQLConnection.line(String(cString: text))
    }
    cpostgresql_setNoticeProcessor(connection, processor, Unmanaged.passUnretained(self).toOpaque())
    try execute("SET client_min_messages TO error")
  }

  deinit { cpostgresql_finish(connection) }

  private var refusal: JournalError {
    let text = lastMessage
    let password = "name the password's file, or keep it in ~/.pgpass"
    if cpostgresql_connectionNeedsPassword(connection) {
      return address.error(.cannotOpen, "cannot be opened without a password: \(text); \(password)")
    }
    // The server has answered, and not because it is starting or stopping.
    let isPassing = ["starting up", "shutting down", "recovery", "too many", "remaining connection"]
      .contains { text.contains($0) }
    guard text.contains("FATAL"), !isPassing else { return address.error(.unavailable, "cannot be reached: \(text)") }
    let advice =
      if text.contains("password") {
        "; \(password)"
      } else if text.contains("database") && text.contains("does not exist") {
        "; make it with createdb"
      } else {
        ""
      }
    return address.error(.cannotOpen, "cannot be opened: \(text)\(advice)")
  }

  private var lastMessage: String { Self.line(String(cString: cpostgresql_errorMessage(connection))) }

  /// Joins a text of several lines, some of them indented, into one line.
  private static func line(_ text: String) -> String {
    text.split(whereSeparator: \.isNewline).map { $0.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
      .filter { !$0.isEmpty }.joined(separator: "; ")
  }

  /// Whether nothing is committed: the transactions below are parts of one that ends with the connection.
  private var isTrial = false

  func beginTrial() throws(JournalError) {
    try execute("BEGIN")
    isTrial = true
  }

  /// Runs `body` in a transaction, which `options` begin. The caller closes the connection if it throws.
  func transaction<Result>(
    _ options: String = "", _ body: () throws(JournalError) -> Result
  ) throws(JournalError) -> Result {
    try execute(isTrial ? "SELECT 1\(options)" : "BEGIN\(options)")
    let result = try body()
    if !isTrial { try execute("COMMIT") }
    return result
  }

  func execute(_ statements: String) throws(JournalError) {
    try send(cpostgresql_sendQuery(connection, statements))
    _ = try results(PGRES_COMMAND_OK, PGRES_TUPLES_OK)
  }

  func rows(_ statement: String, _ parameters: [String] = []) throws(JournalError) -> Rows {
    var values: [UnsafePointer<CChar>?] = parameters.map { UnsafePointer(strdup($0)) }
    defer { for value in values { free(UnsafeMutablePointer(mutating: value)) } }
    try send(cpostgresql_sendQueryParams(connection, statement, Int32(values.count), &values, 0))
    return try results(PGRES_TUPLES_OK, PGRES_COMMAND_OK)
  }

  /// Requests the rows of a statement in the binary format, without waiting for them.
  func request(_ statement: String) throws(JournalError) {
    try send(cpostgresql_sendQueryParams(connection, statement, 0, nil, 1))
  }

  func requestedRows() throws(JournalError) -> Rows {
    deadline = monotonicSeconds() + patience
    return try results(PGRES_TUPLES_OK)
  }

  func copy(_ statement: String, _ bytes: [UInt8]) throws(JournalError) {
    try send(cpostgresql_sendQuery(connection, statement))
    _ = try results(PGRES_COPY_IN)
    try put {
      bytes.withUnsafeBytes { bytes in
        cpostgresql_putCopyData(connection, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(bytes.count))
      }
    }
    try put { cpostgresql_putCopyEnd(connection) }
    try flush()
    _ = try results(PGRES_COMMAND_OK)
  }

  // MARK: Waiting

  private func send(_ isQueued: Int32) throws(JournalError) {
    guard isQueued == 1 else { throw failure() }
    deadline = monotonicSeconds() + patience
    try flush()
  }

  /// Repeats a call that returns `busy` while it has to wait for the server to read.
  private func put(done: Int32 = 1, busy: Int32 = 0, _ body: () -> Int32) throws(JournalError) {
    while true {
      switch body() {
      case done: return
      case busy: try wait(isWriting: true)
      default: throw failure()
      }
    }
  }

  private func flush() throws(JournalError) { try put(done: 0, busy: 1) { cpostgresql_flush(connection) } }

  /// Waits for the results and returns the last one; all of them must be of these kinds.
  private func results(_ expected: ExecStatusType...) throws(JournalError) -> Rows {
    var last: Rows?
    var refusal: JournalError?
    while true {
      while cpostgresql_isBusy(connection) == 1 { try wait(isWriting: false) }
      guard let result = cpostgresql_getResult(connection) else { break }
      let status = cpostgresql_resultStatus(result)
      if !expected.contains(status) { refusal = refusal ?? failure(result) }
      // `Rows` frees the result.
      last = Rows(result)
      // A COPY is not complete before its bytes are sent.
      if status == PGRES_COPY_IN { break }
    }
    if let refusal { throw refusal }
    guard let last else { throw failure() }
    return last
  }

  private func wait(isWriting: Bool) throws(JournalError) {
    let left = deadline - monotonicSeconds()
    guard left > 0 else { throw address.error(.unavailable, "has not answered within \(secondsText(patience))") }
    var entry = pollfd(
      fd: cpostgresql_socket(connection), events: Int16(isWriting ? POLLIN | POLLOUT : POLLIN), revents: 0)
    guard poll(&entry, 1, Int32(min(left, 60) * 1000) + 1) > 0 else { return }
    guard cpostgresql_consumeInput(connection) == 1 else { throw failure() }
  }

  /// Turns the server's message on a statement, or libpq's on the connection, into an error. The first two characters
  /// of SQLSTATE are its class.
  private func failure(_ result: OpaquePointer? = nil) -> JournalError {
    // libpq's own message would also contain the statement.
    let parts = [cpostgresql_resultMessage, cpostgresql_resultDetail, cpostgresql_resultHint]
      .compactMap { part in result.flatMap { part($0) }.map { Self.line(String(cString: $0)) } }
      .map { $0.hasSuffix(".") ? String($0.dropLast()) : $0 }
    let text = parts.isEmpty ? remark ?? lastMessage : parts.joined(separator: "; ")
    guard cpostgresql_status(connection) == CONNECTION_OK,
      let state = result.flatMap({ cpostgresql_resultState($0) }).map({ String(cString: $0) })
    else { return address.error(.unavailable, "cannot be reached: \(text)") }
    switch state.prefix(2) {
    case "57" where state == "57014": return address.error(.unavailable, "has cancelled a statement: \(text)")
    case "08", "57": return address.error(.unavailable, "cannot be reached: \(text)")
    case "55" where state == "55P03": return address.error(.locked, "is in use: \(text)")
    case "25" where state == "25006": return address.error(.readOnly, "can only be read: \(text)")
    case "42" where state == "42P01": return address.error(.damaged, "lacks a table: \(text)")
    // For example when the partition of a month is missing.
    case "23" where state == "23514": return address.error(.damaged, "refuses a row: \(text)")
    case "42" where state == "42501":
      return address.error(.cannotOpen, "does not let this user do what is needed: \(text)")
    default: return address.error(.inputOutput, "cannot be read or written: \(text)")
    }
  }
}

/// The address of a journal in a database: a URL in libpq's syntax.
struct PostgreSQLAddress {
  /// The URL as it was given, which may contain a password.
  let url: String
  /// The URL without its password, for messages.
  let name: String
  let hasPassword: Bool

  init(_ url: String) throws(JournalError) {
    guard PostgreSQLConnection.isLoaded else {
      throw JournalError(.cannotOpen, path: "postgresql://", "needs libpq; install the package libpq5")
    }
    self.url = url
    var message: UnsafeMutablePointer<CChar>?
    guard let options = cpostgresql_conninfoParse(url, &message) else {
      let text = message.map { String(cString: $0) } ?? "no memory"
      cpostgresql_freemem(message)
      throw JournalError(
        .cannotOpen, path: "postgresql://",
        "is not an address: \(text.split(whereSeparator: \.isNewline).joined(separator: " ")); expected "
          + "postgresql://USER@HOST/DATABASE")
    }
    defer { cpostgresql_conninfoFree(options) }
    var values: [String: String] = [:]
    var option = options
    while let keyword = option.pointee.keyword {
      if let value = option.pointee.val { values[String(cString: keyword)] = String(cString: value) }
      option += 1
    }
    let user = values["user"].map { "\($0)@" } ?? ""
    let host = values["host"] ?? values["hostaddr"] ?? ""
    let port = values["port"].map { ":\($0)" } ?? ""
    hasPassword = values["password"] != nil
    // A URL's host cannot contain a socket's folder.
    let isFolder = host.hasPrefix("/")
    name =
      "postgresql://\(user)\(isFolder ? "" : host)\(port)/\(values["dbname"] ?? "")" + (isFolder ? "?host=\(host)" : "")
  }

  func error(_ reason: JournalError.Reason, _ detail: String) -> JournalError {
    JournalError(reason, path: name, detail)
  }

  /// The first line of a file. It is read for each connection so that a new password works without a restart.
  func password(in path: String) throws(JournalError) -> String {
    do {
      let file = try FileDescriptor.open(FilePath(path), .readOnly, options: [.nonBlocking, .closeOnExec])
      let bytes = try file.closeAfter {
        guard file.isRegularFile else { throw Errno.invalidArgument }
        return try file.readToEnd(limit: 4096)
      }
      return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }, as: UTF8.self)
    } catch {
      throw self.error(
        .cannotOpen, "needs a password, and its file \(path) cannot be read: \(error as? Errno ?? .ioError)")
    }
  }
}
