import Glibc

/// Has a process that is spawned close everything from `lowest` on: an end of a pipe or socket that another test makes
/// at this moment, and has not marked yet, would keep that test waiting for its end for as long as the process runs.
///
/// glibc's `posix_spawn_file_actions_addclosefrom_np` is not in the Glibc module. To close what is not open is no error.
private func addCloseFrom(_ lowest: Int32, to actions: inout posix_spawn_file_actions_t) {
  var limit = rlimit()
  getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  for descriptor in lowest..<Int32(clamping: min(limit.rlim_cur, 4096)) {
    posix_spawn_file_actions_addclose(&actions, descriptor)
  }
}

/// Has a process that is spawned begin with the signals as a shell hands them down: what the test runner ignores or blocks,
/// because it runs under `nohup` or in a script's background, would be ignored by the process, too.
private func resetSignals(in attributes: inout posix_spawnattr_t) {
  var signals = sigset_t()
  sigemptyset(&signals)
  posix_spawnattr_setsigmask(&attributes, &signals)
  for number in [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGXFSZ] { sigaddset(&signals, number) }
  posix_spawnattr_setsigdefault(&attributes, &signals)
  posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
}

/// Waits for the end of a child process, and kills it when that does not come; returns its status as `waitpid` reports it.
package func waitForEnd(of process: pid_t, within seconds: Double = 120) -> Int32 {
  var status: Int32 = 0
  if !eventuallyBlocking(within: seconds, { waitpid(process, &status, WNOHANG) != 0 }) {
    kill(process, SIGKILL)
    waitpid(process, &status, 0)
  }
  return status
}

/// Starts a program with the descriptors 0 to 2 that `open` gives it, and with this environment or that of the tests.
package func spawn(
  _ arguments: [String], environment: [String]? = nil, _ open: (inout posix_spawn_file_actions_t) -> Void
) throws -> pid_t {
  var actions = posix_spawn_file_actions_t()
  posix_spawn_file_actions_init(&actions)
  defer { posix_spawn_file_actions_destroy(&actions) }
  open(&actions)
  addCloseFrom(3, to: &actions)
  var attributes = posix_spawnattr_t()
  posix_spawnattr_init(&attributes)
  defer { posix_spawnattr_destroy(&attributes) }
  resetSignals(in: &attributes)
  var argv: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
  var envp: [UnsafeMutablePointer<CChar>?] = (environment ?? []).map { strdup($0) } + [nil]
  defer { for word in argv + envp { free(word) } }
  var process: pid_t = 0
  let error = envp.withUnsafeMutableBufferPointer {
    posix_spawn(&process, arguments[0], &actions, &attributes, &argv, environment == nil ? environ : $0.baseAddress)
  }
  guard error == 0 else { throw SupportError("cannot start \(arguments[0]): errno \(error)") }
  return process
}

/// Starts a program in the background, its output in a file.
package func spawnInBackground(_ arguments: [String], output: String, environment: [String]? = nil) throws -> pid_t {
  try spawn(arguments, environment: environment) { actions in
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    posix_spawn_file_actions_adddup2(&actions, 1, 2)
  }
}

/// Runs a program to its end, its output in a file, and throws what is in the file if the program fails.
package func runProgram(_ arguments: [String], output: String) throws {
  guard waitForEnd(of: try spawnInBackground(arguments, output: output)) == 0 else {
    throw SupportError("\(arguments[0]) failed: \(contents(output))")
  }
}

/// A program in the background. It is killed when released.
final class BackgroundProgram {
  private var process: pid_t?

  /// Starts it as `spawnInBackground` does.
  init(_ arguments: [String], output: String, environment: [String]? = nil) throws {
    process = try spawnInBackground(arguments, output: output, environment: environment)
  }

  deinit { end(SIGKILL) }

  func signal(_ number: Int32) {
    if let process { kill(process, number) }
  }

  /// Whether it has ended by itself.
  func hasEnded() -> Bool {
    var status: Int32 = 0
    if let process, waitpid(process, &status, WNOHANG) == process { self.process = nil }
    return process == nil
  }

  /// Ends it with a signal, also when it is stopped, and waits for its end.
  func end(_ number: Int32) {
    guard let process else { return }
    kill(process, SIGCONT)
    kill(process, number)
    var status: Int32 = 0
    waitpid(process, &status, 0)
    self.process = nil
  }
}
