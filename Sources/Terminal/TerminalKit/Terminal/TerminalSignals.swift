import Dispatch
import Glibc
import Synchronization
import SystemPackage

/// Delivers signals for a terminal on the main queue: a handler writes the number of each to a pipe.
@MainActor
final class TerminalSignals {
  /// The signals that end, stop and continue the program, and the change of the window's size.
  private static let numbers = [SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT, SIGWINCH]

  private nonisolated static let pipe = Atomic<Int32>(-1)
  /// The first signal that ends the program, until it is read. A second one before that ends the process.
  private nonisolated static let ending = Atomic<Int32>(0)

  private let source: any DispatchSourceRead
  private let readEnd: FileDescriptor
  private let writeEnd: FileDescriptor
  private var before: [(Int32, sigaction)] = []

  init(_ onSignal: @escaping @MainActor (Int32) -> Void) throws(TerminalError) {
    do {
      (readEnd, writeEnd) = try FileDescriptor.pipe()
    } catch {
      throw .system("no pipe for signals: \(error)")
    }
    for end in [readEnd, writeEnd] {
      _ = fcntl(end.rawValue, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end.rawValue, F_SETFL, O_NONBLOCK)
    }
    Self.pipe.store(writeEnd.rawValue, ordering: .releasing)
    Self.ending.store(0, ordering: .releasing)
    source = DispatchSource.makeReadSource(fileDescriptor: readEnd.rawValue, queue: .main)
    let descriptor = readEnd.rawValue
    source.setEventHandler {
      MainActor.assumeIsolated {
        var numbers = [UInt8](repeating: 0, count: 64)
        let count = read(descriptor, &numbers, numbers.count)
        for number in numbers.prefix(max(0, count)) { onSignal(Int32(number)) }
      }
    }
    source.activate()
    for number in Self.numbers { before.append((number, Self.handle(number))) }
  }

  /// Restores the previous handlers. Call it before the object is released.
  func end() {
    for (number, action) in before {
      var action = action
      sigaction(number, &action, nil)
    }
    before = []
    Self.pipe.store(-1, ordering: .releasing)
    let (readEnd, writeEnd) = (readEnd, writeEnd)
    source.setCancelHandler {
      try? readEnd.close()
      try? writeEnd.close()
    }
    source.cancel()
  }

  /// Stops the process like an unhandled Ctrl-Z, and returns when the process continues.
  func stop() {
    signal(SIGTSTP, SIG_DFL)
    // Sent to this thread, so that the process has stopped when this returns; `kill` may choose another thread. The
    // main queue's thread may be one of libdispatch's, which block signals.
    var (stop, before) = (sigset_t(), sigset_t())
    sigemptyset(&stop)
    sigaddset(&stop, SIGTSTP)
    pthread_kill(pthread_self(), SIGTSTP)
    pthread_sigmask(SIG_UNBLOCK, &stop, &before)
    pthread_sigmask(SIG_SETMASK, &before, nil)
    _ = Self.handle(SIGTSTP)
  }

  private static func handle(_ number: Int32) -> sigaction {
    var (action, before) = (sigaction(), sigaction())
    action.sa_flags = SA_RESTART
    action.__sigaction_handler.sa_handler = { number in
      let saved = errno
      // Not an array, because a handler must not allocate.
      if number == SIGTERM || number == SIGINT || number == SIGHUP || number == SIGQUIT,
        TerminalSignals.ending.exchange(number, ordering: .acquiringAndReleasing) != 0
      {
        // The first signal was not handled, because the main queue is blocked.
        TerminalState.restore()
        _exit(128 + number)
      }
      var byte = UInt8(truncatingIfNeeded: number)
      _ = write(TerminalSignals.pipe.load(ordering: .acquiring), &byte, 1)
      errno = saved
    }
    sigaction(number, &action, &before)
    return before
  }
}
