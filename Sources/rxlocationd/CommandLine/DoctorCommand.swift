import ArgumentParser
import GPSD
import Output

struct DoctorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Say what is wrong between here and a fix.",
    discussion: "Ends with status 0 only when there is a fix, else with 69.")

  /// How the findings are printed.
  enum Format: String, ExpressibleByArgument, CaseIterable {
    case text
    case json
  }

  @OptionGroup var gpsd: GPSDOptions

  @Option(
    help: ArgumentHelp("How long to wait for the receiver and for a fix. (default: 10)", valueName: "seconds"),
    transform: parsed(Bounds.staleAfter))
  var timeout: Double?

  @Option(
    help: ArgumentHelp("A region socket that the daemon is to open. Repeatable.", valueName: "address"),
    transform: parsed(RegionSocketAddress.init(parsing:)))
  var regionSocket: [RegionSocketAddress] = []

  @Option(help: ArgumentHelp("Read settings from this TOML file; flags win.", valueName: "file"))
  var config: String?

  @Option(help: "text for a person, json for a machine.")
  var format = Format.text

  @MainActor
  func run() async throws {
    try await reportingErrors {
      var flags = SettingsLayer()
      flags.gpsd = gpsd.gpsd
      flags.regionSockets = regionSocket
      let settings = try SettingsSource(flags: flags, file: config).read()

      var findings = settings.regionSockets.map(Diagnosis.ofRegionSocket)
      let probe = GPSDProbe(endpoint: settings.gpsd, patience: timeout ?? 10)
      findings += await probe.run().map { Diagnosis($0, at: settings.gpsd) }
      for finding in findings { StandardOutput.write(line: format == .json ? finding.json : finding.text) }
      let hasFix = findings.contains { $0.step == GPSDFinding.Step.fix.rawValue && $0.outcome == .ok }
      if !hasFix || findings.contains(where: { $0.outcome == .failure }) { throw ExitStatus.unavailable.code }
    }
  }
}
