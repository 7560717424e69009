import Glibc
import Logging
import Platform

/// Log lines on standard error: with a `<N>` priority for the systemd journal, otherwise with the program's name and
/// the level.
struct JournalLogHandler: LogHandler {
  var logLevel: Logger.Level = .info
  var metadata: Logger.Metadata = [:]
  private let isJournal: Bool

  init(isJournal: Bool = JournalLogHandler.standardErrorIsJournal) {
    self.isJournal = isJournal
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    StandardError.write(line: Self.line(event.message.description, level: event.level, isJournal: isJournal))
  }

  static func line(_ message: String, level: Logger.Level, isJournal: Bool) -> String {
    // A line feed in a message would start a new entry in the journal.
    let text = message.split(whereSeparator: \.isNewline).joined(separator: " ")
    if isJournal { return "<\(priority(of: level))>\(text)" }
    return level <= .info ? "rxlocationd: \(text)" : "rxlocationd: \(level.rawValue): \(text)"
  }

  /// syslog's severity of a level, as listed in sd-daemon(3).
  static func priority(of level: Logger.Level) -> Int {
    switch level {
    case .trace, .debug: 7
    case .info: 6
    case .notice: 5
    case .warning: 4
    case .error: 3
    case .critical: 2
    }
  }

  /// Whether standard error is the socket that `JOURNAL_STREAM` names (systemd.exec(5)).
  static var standardErrorIsJournal: Bool {
    guard let stream = getenv("JOURNAL_STREAM").map({ String(cString: $0) }) else { return false }
    var status = stat()
    guard fstat(STDERR_FILENO, &status) == 0 else { return false }
    return stream == "\(status.st_dev):\(status.st_ino)"
  }
}

extension Logger {
  static func standardError(_ level: Logger.Level) -> Logger {
    var logger = Logger(label: "rxlocationd") { _ in JournalLogHandler() }
    logger.logLevel = level
    return logger
  }
}
