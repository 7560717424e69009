import CNcurses
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

/// The terminal's state at the start, which is restored however the program ends. A signal handler may call `restore()`.
enum TerminalState {
  /// The descriptor for the bytes that restore the terminal's screen; -1 while there is nothing to restore.
  private static let output = Atomic<Int32>(-1)
  // Addresses of memory that is allocated once and never freed, because a signal handler may read it at any time.
  private static let modesAddress = Atomic<UInt>(0)
  private static let resetAddress = Atomic<UInt>(0)
  private static let resetCount = Atomic(0)

  private static let faults = [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT, SIGSYS]

  private static var modes: UnsafeMutablePointer<termios>? {
    UnsafeMutablePointer(bitPattern: modesAddress.load(ordering: .acquiring))
  }

  /// Reads the terminal's modes. Call it before curses changes them.
  static func save(_ descriptor: Int32) -> Bool {
    let modes = Self.modes ?? .allocate(capacity: 1)
    guard tcgetattr(descriptor, modes) == 0 else { return false }
    modesAddress.store(UInt(bitPattern: modes), ordering: .releasing)
    return true
  }

  /// Enables `restore()`, also after a fault. Call it after curses has started.
  static func guardAgainstFaults(_ descriptor: Int32) {
    // Colours off, cursor visible, keypad off, the previous screen, no mouse events.
    let mouse = capability("kmous").isEmpty ? "" : "\u{1B}[?1000l\u{1B}[?1006l"
    let bytes = ["sgr0", "cnorm", "rmkx", "rmcup"].flatMap(capability) + Array(mouse.utf8)
    let copy = UnsafeMutablePointer<UInt8>.allocate(capacity: bytes.count)
    copy.initialize(from: bytes, count: bytes.count)
    // Never freed, because a signal handler may read it. A program usually opens a terminal once.
    resetAddress.store(UInt(bitPattern: copy), ordering: .releasing)
    resetCount.store(bytes.count, ordering: .relaxed)
    output.store(descriptor, ordering: .releasing)

    // A handler cannot run on a stack that has overflowed.
    var stack = stack_t()
    stack.ss_size = 65_536
    stack.ss_sp = UnsafeMutableRawPointer.allocate(byteCount: stack.ss_size, alignment: 16)
    if sigaltstack(&stack, nil) != 0 { stack.ss_sp.deallocate() }
    var action = sigaction()
    action.__sigaction_handler.sa_handler = { number in
      TerminalState.restore()
      signal(number, SIG_DFL)
      raise(number)
    }
    action.sa_flags = SA_ONSTACK | SA_NODEFER
    for number in faults { sigaction(number, &action, nil) }
    atexit { TerminalState.restore() }
  }

  /// Restores the modes and the screen, once. Async-signal-safe.
  static func restore() {
    let descriptor = output.exchange(-1, ordering: .acquiringAndReleasing)
    guard descriptor >= 0 else { return }
    if let bytes = UnsafePointer<UInt8>(bitPattern: resetAddress.load(ordering: .acquiring)) {
      _ = write(descriptor, bytes, resetCount.load(ordering: .relaxed))
    }
    if let modes { tcsetattr(descriptor, TCSADRAIN, modes) }
  }

  /// Curses has restored the screen itself: this only sets the modes, and `restore()` does nothing more.
  static func forget(_ descriptor: Int32) {
    output.store(-1, ordering: .releasing)
    restoreModes(descriptor)
    for number in faults { signal(number, SIG_DFL) }
  }

  static func restoreModes(_ descriptor: Int32) {
    if let modes { tcsetattr(descriptor, TCSADRAIN, modes) }
  }

  /// The sequence for a name of terminfo, without the padding that only printing terminals need.
  private static func capability(_ name: String) -> [UInt8] {
    guard let text = name.withCString({ tigetstr(UnsafeMutablePointer(mutating: $0)) }), Int(bitPattern: text) != -1
    else { return [] }
    var bytes: [UInt8] = []
    var isPadding = false
    for byte in UnsafeBufferPointer(start: text, count: strlen(text)).map({ UInt8(bitPattern: $0) }) {
      if byte == UInt8(ascii: "$") { isPadding = true }
      if !isPadding { bytes.append(byte) }
      if byte == UInt8(ascii: ">") { isPadding = false }
    }
    return bytes
  }
}
