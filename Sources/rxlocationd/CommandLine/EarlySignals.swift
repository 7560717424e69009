import Glibc
import Synchronization

/// What signals do before the daemon handles them.
enum EarlySignals {
  private static let hangup = Atomic(false)
  private static let interruption = Atomic<Int32>(0)

  /// SIGTERM and SIGINT end the process with status 0, for nothing was received that could be lost. SIGHUP is kept for
  /// the daemon, which may have read its settings already. SIGUSR1 does nothing, for there is no state to print.
  ///
  /// The first thing that the program does. The daemon's own handlers replace these.
  static func handle() {
    // Made here, for a handler must not make anything.
    hangup.store(false, ordering: .relaxed)
    for number in [SIGTERM, SIGINT] { signal(number) { _ in _exit(0) } }
    signal(SIGHUP) { _ in EarlySignals.hangup.store(true, ordering: .relaxed) }
    signal(SIGUSR1) { _ in }
    // Writing to a reader that has gone is an error like any other, no reason to be killed.
    signal(SIGPIPE, SIG_IGN)
    // So is a file that has reached the largest size that is allowed.
    signal(SIGXFSZ, SIG_IGN)
  }

  /// Whether SIGHUP came since the start, or since this was asked before.
  static func takeHangup() -> Bool { hangup.exchange(false, ordering: .relaxed) }

  /// Lets signals end the process as they end any other: for `doctor`, whose status 0 says that there is a fix.
  static func reset() {
    for number in [SIGTERM, SIGINT, SIGHUP, SIGUSR1] { signal(number, SIG_DFL) }
  }

  /// Keeps SIGINT and SIGTERM for `track`, which ends with what it has read by then. The other signals end it.
  static func keepInterrupts() {
    interruption.store(0, ordering: .relaxed)
    for number in [SIGTERM, SIGINT] { signal(number) { EarlySignals.interruption.store($0, ordering: .relaxed) } }
    for number in [SIGHUP, SIGUSR1] { signal(number, SIG_DFL) }
  }

  /// The number of the SIGINT or SIGTERM that came; `nil` when none did.
  static var interrupt: Int32? {
    let number = interruption.load(ordering: .relaxed)
    return number == 0 ? nil : number
  }
}
