import Glibc
import Synchronization

enum EarlySignals {
  private static let hangup = Atomic(false)
  private static let interruption = Atomic<Int32>(0)
  private static let ignored = Mutex<Set<Int32>>([])

  /// SIGTERM and SIGINT end the process with status 0, because no received record can be lost yet. SIGHUP is remembered
  /// for the daemon, which may have read its settings already. SIGUSR1 is ignored, because there is no state to print.
  ///
  /// Called first in the program. The daemon's own handlers replace these.
  static func handle() {
    // Initialize the globals here, because a signal handler must not.
    hangup.store(false, ordering: .relaxed)
    ignored.withLock { $0 = Set([SIGTERM, SIGINT, SIGHUP, SIGUSR1].filter(isIgnored)) }
    for number in [SIGTERM, SIGINT] { signal(number) { _ in _exit(0) } }
    signal(SIGHUP) { _ in EarlySignals.hangup.store(true, ordering: .relaxed) }
    signal(SIGUSR1) { _ in }
    // A closed pipe and a file size limit are ordinary write errors and must not kill the process.
    for number in [SIGPIPE, SIGXFSZ] { signal(number, SIG_IGN) }
  }

  /// Whether SIGHUP came since the start, or since the last call.
  static func receivedHangup() -> Bool { hangup.exchange(false, ordering: .relaxed) }

  /// Restores the default actions for `doctor`, whose status 0 means that there is a fix.
  static func reset() { reset([SIGTERM, SIGINT, SIGHUP, SIGUSR1]) }

  /// Remembers SIGINT and SIGTERM for `track`, which ends with the input read so far. Other signals end it.
  static func keepInterrupts() {
    interruption.store(0, ordering: .relaxed)
    for number in [SIGTERM, SIGINT] { signal(number) { EarlySignals.interruption.store($0, ordering: .relaxed) } }
    reset([SIGHUP, SIGUSR1])
  }

  /// Signals that the parent process ignores, as under `nohup`, stay ignored.
  private static func reset(_ numbers: [Int32]) {
    let ignored = ignored.withLock { $0 }
    for number in numbers { signal(number, ignored.contains(number) ? SIG_IGN : SIG_DFL) }
  }

  private static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    guard sigaction(number, nil, &action) == 0 else { return false }
    // Functions cannot be compared. SIG_IGN is 1.
    return withUnsafeBytes(of: action.__sigaction_handler) { $0.load(as: Int.self) } == 1
  }

  /// The number of the SIGINT or SIGTERM that came; `nil` before one comes.
  static var interrupt: Int32? {
    let number = interruption.load(ordering: .relaxed)
    return number == 0 ? nil : number
  }
}
