import ArgumentParser

/// The statuses of `sysexits.h` that this program ends with.
enum ExitStatus: Int32 {
  case usage = 64
  case dataError = 65
  case noInput = 66
  case unavailable = 69
  case software = 70
  case cannotCreate = 73
  case ioError = 74
  case configuration = 78

  /// The same for the argument parser.
  var code: ExitCode { ExitCode(rawValue) }
}

/// Why a command cannot go on: one message for a person, and the status to end with.
struct CommandError: Error, Equatable {
  var status: ExitStatus
  /// Names the input, the place and the mend.
  var message: String

  init(_ status: ExitStatus, _ message: String) {
    self.status = status
    self.message = message
  }
}
