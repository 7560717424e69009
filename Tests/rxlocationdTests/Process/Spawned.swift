import Foundation
import TestSupport

/// A process with pipes for its standard streams.
struct Spawned {
  let identifier: pid_t
  /// Where to write what it reads.
  let input: Int32
  /// Where to read what it writes.
  let output: Int32
  let messages: Int32

  init(_ path: String, _ arguments: [String]) throws {
    signal(SIGPIPE, SIG_IGN)
    let (input, output, messages) = (try Self.makePipe(), try Self.makePipe(), try Self.makePipe())
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, input.read, STDIN_FILENO)
    posix_spawn_file_actions_adddup2(&actions, output.write, STDOUT_FILENO)
    posix_spawn_file_actions_adddup2(&actions, messages.write, STDERR_FILENO)
    addCloseFrom(3, to: &actions)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    resetSignals(in: &attributes)

    var identifier = pid_t()
    var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) } + [nil]
    var environment: [UnsafeMutablePointer<CChar>?] = Self.environment.map { strdup($0) } + [nil]
    defer { for text in words + environment { free(text) } }
    let error = posix_spawn(&identifier, path, &actions, &attributes, &words, &environment)
    close(input.read)
    close(output.write)
    close(messages.write)
    guard error == 0 else { throw POSIXError(POSIXErrorCode(rawValue: error) ?? .EINVAL) }
    self.init(identifier: identifier, input: input.write, output: output.read, messages: messages.read)
  }

  private init(identifier: pid_t, input: Int32, output: Int32, messages: Int32) {
    self.identifier = identifier
    self.input = input
    self.output = output
    self.messages = messages
  }

  /// That of the tests, but in a locale whose people measure in metres, and in UTC.
  private static var environment: [String] {
    let environment = ProcessInfo.processInfo.environment.merging(["LC_ALL": "C.UTF-8", "TZ": "UTC"]) { $1 }
    return environment.map { "\($0.key)=\($0.value)" }
  }

  private static func makePipe() throws -> (read: Int32, write: Int32) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EMFILE) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }
}
