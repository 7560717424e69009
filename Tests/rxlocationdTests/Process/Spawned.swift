import Foundation
import TestSupport

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
    defer { for end in [input.read, output.write, messages.write] { close(end) } }
    identifier = try spawn([path] + arguments, environment: Self.environment) { actions in
      posix_spawn_file_actions_adddup2(&actions, input.read, STDIN_FILENO)
      posix_spawn_file_actions_adddup2(&actions, output.write, STDOUT_FILENO)
      posix_spawn_file_actions_adddup2(&actions, messages.write, STDERR_FILENO)
    }
    (self.input, self.output, self.messages) = (input.write, output.read, messages.read)
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
