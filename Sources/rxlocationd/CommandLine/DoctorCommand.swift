import ArgumentParser
import GPSD
import Output

struct DoctorCommand: ConfigurableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Say what is wrong between here and a fix.",
    discussion: "Ends with status 0 only when there is a fix, else with 69.")
  static let fileOptions: [any ParsableArguments.Type] = [GPSDOptions.self, RegionSocketOptions.self]

  /// How the findings are printed.
  enum Format: String, ExpressibleByArgument, CaseIterable {
    case text
    case json
  }

  @OptionGroup var gpsd: GPSDOptions

  @Option(
    help: ArgumentHelp("How long to wait for the receiver and for a fix. (default: 10)", valueName: "seconds"),
    transform: parsed(Bounds.staleAfter))
  var timeout = 10.0

  @OptionGroup var sockets: RegionSocketOptions
  @OptionGroup var configurationFile: ConfigurationOptions

  @Option(help: "text for a person, json for a machine.")
  var format = Format.text

  @MainActor
  func run() async throws {
    EarlySignals.reset()
    try await reportingErrors {
      let command = try await Configuration(of: self).read()

      let endpoint = command.gpsd.gpsd
      var findings = command.sockets.addresses.map(Diagnosis.ofRegionSocket)
      findings += await GPSDProbe(endpoint: endpoint, patience: timeout).run().map { Diagnosis($0, at: endpoint) }
      for finding in findings { print(format == .json ? finding.json : finding.text) }
      let hasFix = findings.contains { $0.step == GPSDFinding.Step.fix.rawValue && $0.outcome == .ok }
      if !hasFix || findings.contains(where: { $0.outcome == .failure }) { throw ExitStatus.unavailable.code }
    }
  }
}
