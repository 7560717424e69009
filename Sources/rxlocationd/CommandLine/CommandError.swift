import ArgumentParser
import Platform

/// The statuses of `sysexits.h` that this program ends with.
enum ExitStatus: Int32 {
  case usage = 64
  case dataError = 65
  case noInput = 66
  case unavailable = 69
  case systemError = 71
  case cannotCreate = 73
  case ioError = 74
  case configuration = 78

  /// The same for the argument parser.
  var code: ExitCode { ExitCode(rawValue) }
}

/// Why a command cannot go on: one message for a person, and the status to end with.
struct CommandError: Error, Equatable {
  var status: ExitStatus
  /// Names the input, the place and the way out.
  var message: String

  init(_ status: ExitStatus, _ message: String) {
    self.status = status
    self.message = message
  }

  /// The message on one line: a file's name may hold a line feed.
  var line: String { message.split(whereSeparator: \.isNewline).joined(separator: " ") }
}

extension AsyncParsableCommand {
  /// Runs the body of a command: says what went wrong on standard error, and ends with its status.
  @MainActor
  func reportingErrors(_ body: @MainActor () async throws -> Void) async throws {
    do {
      try await body()
    } catch let error as CommandError {
      StandardError.write(line: "rxlocationd: \(error.line)")
      throw error.status.code
    }
  }
}
