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

  /// Not an `async` one: before the body of such a `main`, the main queue opens a descriptor, and a standard stream that
  /// is closed would be it.
  static func main() {
    StandardStreams.occupy()
    // With fewer not even the system's libraries start.
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

  /// The command that the first word names; `nil` when there is none or the words are not right, which the root says best.
  ///
  /// The root tries the words as those of its default subcommand, too, with all of that one's flags, before it looks at the
  /// subcommand: a third of the time that a replay needs until it starts.
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
