import ArgumentParser
import Platform

enum ExitStatus: Int32 {
  case usage = 64
  case dataError = 65
  case noInput = 66
  case unavailable = 69
  case systemError = 71
  case cannotCreate = 73
  case ioError = 74
  case configuration = 78

  var code: ExitCode { ExitCode(rawValue) }
}

struct CommandError: Error, Equatable {
  var status: ExitStatus
  /// Names the input, the problem and the remedy.
  var message: String

  init(_ status: ExitStatus, _ message: String) {
    self.status = status
    self.message = message
  }

  /// The message on one line: a file's name may contain a line feed.
  var line: String { message.split(whereSeparator: \.isNewline).joined(separator: " ") }
}

extension AsyncParsableCommand {
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
