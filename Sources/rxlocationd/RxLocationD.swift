import ArgumentParser
import Glibc
import Platform

@main
struct RxLocationD: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rxlocationd",
    abstract: "Follow a GPS receiver and stream where it is.",
    discussion: """
      Records go to standard output, everything else to standard error. Without a subcommand it follows gpsd.
      """,
    version: "rxlocationd 0.1.0",
    subcommands: [RunCommand.self, ReplayCommand.self, DoctorCommand.self],
    defaultSubcommand: RunCommand.self)

  @MainActor
  static func main() async {
    await withTaskExecutorPreference(BackgroundExecutor.shared) { await main(nil) }
  }
}

extension AsyncParsableCommand {
  /// Runs the body of a command: says what went wrong on standard error, and ends with its status.
  @MainActor
  func reportingErrors(_ body: @MainActor () async throws -> Void) async throws {
    // Writing to a reader that has gone is an error like any other, no reason to be killed.
    signal(SIGPIPE, SIG_IGN)
    do {
      try await body()
    } catch let error as CommandError {
      StandardError.write(line: "rxlocationd: \(error.message)")
      throw error.status.code
    }
  }
}
