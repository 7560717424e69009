import Glibc

/// What signals do before the daemon handles them.
enum EarlySignals {
  /// SIGTERM and SIGINT end the process with status 0, for nothing was received that could be lost. SIGHUP and SIGUSR1
  /// do nothing, for nothing was read that could be read again or reported.
  ///
  /// The first thing that the program does. The daemon's own handlers replace these.
  static func handle() {
    for number in [SIGTERM, SIGINT] { signal(number) { _ in _exit(0) } }
    for number in [SIGHUP, SIGUSR1] { signal(number) { _ in } }
    // Writing to a reader that has gone is an error like any other, no reason to be killed.
    signal(SIGPIPE, SIG_IGN)
  }

  /// Lets signals end the process as they end any other: for `doctor`, whose status 0 says that there is a fix.
  static func reset() {
    for number in [SIGTERM, SIGINT, SIGHUP, SIGUSR1] { signal(number, SIG_DFL) }
  }
}
