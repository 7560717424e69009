import CPostgreSQL
import Glibc
import Platform
import SystemPackage

/// The address of a journal in a database: a URL in libpq's syntax.
struct PostgreSQLAddress {
  /// The URL as it was given, which may contain a password.
  let url: String
  /// The URL without its password, for messages.
  let name: String
  let hasPassword: Bool

  init(_ url: String) throws(JournalError) {
    try PostgreSQLConnection.load(for: "postgresql://")
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
