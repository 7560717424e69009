import Glibc
import Synchronization

/// What signals do before the daemon handles them.
enum EarlySignals {
  private static let hangup = Atomic(false)

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
  }

  /// Whether SIGHUP came since the start, or since this was asked before.
  static func takeHangup() -> Bool { hangup.exchange(false, ordering: .relaxed) }

  /// Lets signals end the process as they end any other: for `doctor`, whose status 0 says that there is a fix.
  static func reset() {
    for number in [SIGTERM, SIGINT, SIGHUP, SIGUSR1] { signal(number, SIG_DFL) }
  }
}
