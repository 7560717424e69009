import Dispatch
import FoundationEssentials
import Glibc
import Logging
import Platform
import Serving

/// systemd's notification protocol (sd_notify(3)), without libsystemd. Does nothing without a service manager.
/// Thread-safe: every message is one datagram.
struct ServiceManager: Sendable {
  /// The address in `NOTIFY_SOCKET`; a leading `@` stands for the abstract namespace.
  private let address: String?
  /// The longest interval between `WATCHDOG=1` messages, in microseconds; `nil` without a watchdog.
  let watchdogMicroseconds: UInt64?

  var isPresent: Bool { address != nil }

  init(environment: [String: String] = ServiceManager.environment) {
    address = environment["NOTIFY_SOCKET"].flatMap { $0.hasPrefix("/") || $0.hasPrefix("@") ? $0 : nil }
    let isForThisProcess = environment["WATCHDOG_PID"].map { $0 == String(getpid()) } ?? true
    watchdogMicroseconds = isForThisProcess ? environment["WATCHDOG_USEC"].flatMap(UInt64.init) : nil
  }

  func ready() { send("READY=1") }

  func status(_ text: String) { send("STATUS=\(text)") }

  func watchdog() { send("WATCHDOG=1") }

  func stopping() { send("STOPPING=1") }

  /// Reports that the configuration is being read again, until `ready()`.
  func reloading() { send("RELOADING=1\nMONOTONIC_USEC=\(UInt64(monotonicSeconds() * 1e6))") }

  private func send(_ message: String) {
    guard let address else { return }
    var socketAddress = sockaddr_un()
    socketAddress.sun_family = sa_family_t(AF_UNIX)
    var path = Array(address.utf8)
    if path.first == UInt8(ascii: "@") { path[0] = 0 }
    guard path.count < MemoryLayout.size(ofValue: socketAddress.sun_path) else { return }
    withUnsafeMutableBytes(of: &socketAddress.sun_path) { $0.copyBytes(from: path) }
    let length = socklen_t(MemoryLayout<sa_family_t>.size + path.count)

    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    let bytes = Array(message.utf8)
    _ = withUnsafePointer(to: &socketAddress) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        // A manager that does not read must not block the daemon.
        sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT), $0, length)
      }
    }
  }

  static var environment: [String: String] { ProcessInfo.processInfo.environment }
}

/// Tells the service manager that this process is alive, after a message has passed through the main queue and the loop
/// of the sockets. If one of them hangs, no message is sent. A missing fix has no effect.
@MainActor
final class Watchdog {
  private let timer: any DispatchSourceTimer

  /// Starts sending at half the manager's interval; `nil` without a watchdog.
  init?(_ manager: ServiceManager, network: NetworkLoop?) {
    guard let interval = manager.watchdogMicroseconds, interval > 0 else { return nil }
    timer = DispatchSource.makeTimerSource(queue: .main)
    let half = DispatchTimeInterval.microseconds(Int(clamping: max(interval / 2, 1000)))
    timer.schedule(deadline: .now() + half, repeating: half)
    timer.setEventHandler {
      if let network { network.ping { manager.watchdog() } } else { manager.watchdog() }
    }
    timer.activate()
  }

  isolated deinit { timer.cancel() }
}

/// Log lines on standard error: with a `<N>` priority for the systemd journal, otherwise with the program's name and the level.
struct JournalLogHandler: LogHandler {
  var logLevel: Logger.Level = .info
  var metadata: Logger.Metadata = [:]
  private let isJournal = JournalLogHandler.standardErrorIsJournal

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
