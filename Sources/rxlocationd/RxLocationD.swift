import ArgumentParser

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
    subcommands: [RunCommand.self, ReplayCommand.self, TrackCommand.self, MonitorCommand.self, DoctorCommand.self],
    defaultSubcommand: RunCommand.self)

  @MainActor
  static func main() async {
    EarlySignals.handle()
    await withTaskExecutorPreference(BackgroundExecutor.shared) { await main(Arguments.ofThisProcess) }
  }
}
