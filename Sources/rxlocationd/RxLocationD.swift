import ArgumentParser
import Dispatch
import Glibc
import Platform
import Sockets

@main
struct RxLocationD: AsyncParsableCommand {
  static let version = "0.2.0"

  static let configuration = CommandConfiguration(
    commandName: "rxlocationd",
    abstract: "Follow a GPS receiver and stream where it is.",
    discussion: """
      Records go to standard output, everything else to standard error. Without a subcommand it follows gpsd.
      """,
    version: "rxlocationd \(version)",
    subcommands: [
      RunCommand.self, ReplayCommand.self, TrackCommand.self, MonitorCommand.self, DoctorCommand.self,
      CollectCommand.self,
    ],
    defaultSubcommand: RunCommand.self)

  /// `main` is not `async`: before the body of an async `main`, the main queue opens a descriptor, which could take the
  /// number of a closed standard stream.
  static func main() {
    StandardStreams.occupy()
    // With fewer descriptors the system's libraries do not start.
    if DescriptorLimit.current < 16, DescriptorLimit.raise() < 16 {
      StandardError.write(line: "rxlocationd: \(CommandError.tooFewDescriptors(need: 16).line)")
      Glibc.exit(ExitStatus.systemError.rawValue)
    }
    EarlySignals.handle()
    ProgramPages.release()
    Task { @MainActor in
      let words = Arguments.joiningNegativeNumbers(Arguments.ofThisProcess)
      await withTaskExecutorPreference(BackgroundExecutor.shared) { await main(words) }
      Glibc.exit(0)
    }
    dispatchMain()
  }

  /// The command that the first word names; `nil` if it is unknown or the words are invalid, which the root command
  /// reports best.
  ///
  /// The root command would first try the words with all flags of its default subcommand, which takes a third of a
  /// replay's start-up time.
  private static func parseSubcommand(_ words: [String]) -> (any ParsableCommand)? {
    let subcommand = configuration.subcommands.first { $0.configuration.commandName == words.first }
    return try? subcommand?.parse(Array(words.dropFirst()))
  }

  /// Runs the command that the words name.
  @MainActor
  private static func main(_ words: [String]) async {
    do {
      var command: any ParsableCommand
      if let known = parseSubcommand(words) { command = known } else { command = try await asyncParseAsRoot(words) }
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
    } catch {
      if let hint = SisterFlag.hint(for: message(for: error), words) {
        StandardError.write(line: "rxlocationd: \(hint)")
        exit(withError: ExitStatus.usage.code)
      }
      exit(withError: error)
    }
  }
}
