import ArgumentParser
import GPSD
import Output
import Publishing

struct DoctorCommand: ConfigurableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Say what is wrong between here and a fix, and between here and the broker.",
    discussion: "Ends with status 0 only when there is a fix, else with 69.")
  static let fileOptions: [any ParsableArguments.Type] = [
    GPSDOptions.self, RegionSocketOptions.self, PublishingOptions.self,
  ]

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
  @OptionGroup var publishing: PublishingOptions
  @OptionGroup var configurationFile: ConfigurationOptions

  @Option(help: "text for a person, json for a machine.")
  var format = Format.text

  func check() throws(SettingError) { try publishing.check() }

  @MainActor
  func run() async throws {
    EarlySignals.reset()
    try await reportingErrors {
      let command = try await Configuration(of: self).read()

      let endpoint = command.gpsd.gpsd
      var findings = command.sockets.addresses.map(Diagnosis.ofRegionSocket)
      if let configuration = command.publishing.configuration {
        findings += await BrokerProbe(configuration, patience: min(5, timeout)).run()
          .map { Diagnosis($0, at: configuration.address) }
      }
      findings += await GPSDProbe(endpoint: endpoint, patience: timeout).run().map { Diagnosis($0, at: endpoint) }
      for finding in findings { print(format == .json ? finding.json : finding.text) }
      let hasFix = findings.contains { $0.step == GPSDFinding.Step.fix.rawValue && $0.outcome == .ok }
      if !hasFix || findings.contains(where: { $0.outcome == .failure }) { throw ExitStatus.unavailable.code }
    }
  }
}
