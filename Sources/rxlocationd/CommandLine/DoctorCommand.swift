import ArgumentParser
import GPSD
import Publishing
import Records
import RegionSockets
import SystemPackage

struct DoctorCommand: ConfigurableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Find out what is wrong with the receiver, the outputs or the destinations of publishing.",
    discussion: """
      Ends with status 0 only when there is a fix, else with 69. With --subscribe it checks the requirements of collect, and \
      not a fix.
      """)
  static let fileOptions: [any ParsableArguments.Type] = [
    GPSDOptions.self, RegionSocketOptions.self, OutputOptions.self, MapOptions.self, PublishingOptions.self,
    SubscriptionOptions.self,
  ]

  enum Format: String, ExpressibleByArgument, CaseIterable {
    case text
    case json
  }

  @OptionGroup var gpsd: GPSDOptions

  @Option("timeout", "seconds", "How long to wait for the receiver and for a fix. (default: 10)", Bounds.staleAfter)
  var timeout = 10.0

  @OptionGroup var sockets: RegionSocketOptions
  @OptionGroup var outputs: OutputOptions
  @OptionGroup var map: MapOptions
  @OptionGroup var publishing: PublishingOptions
  @OptionGroup var subscription: SubscriptionOptions
  @OptionGroup var configurationFile: ConfigurationOptions

  @Option(help: "text for a person, json for a machine.")
  var format = Format.text

  func check() throws(SettingError) {
    try sockets.check()
    try publishing.check()
    try map.check()
    try outputs.database.check(outputs.journal)
    if subscription.address != nil { try subscription.check() }
  }

  func checkMachine() throws(SettingError) {
    try sockets.checkMachine()
    try publishing.checkMachine()
  }

  @MainActor
  func run() async throws {
    EarlySignals.reset()
    try await reportingErrors {
      let command = try await Configuration(of: self).read()

      let endpoint = command.gpsd.gpsd
      let output = try OutputFile()
      var findings = try await OutputTrial(sockets: command.sockets, outputs: command.outputs, map: command.map).run()
      for configuration in command.publishing.configurations {
        findings += await Self.findings(configuration, patience: min(5, timeout))
      }
      if let configuration = command.subscription.configuration, let address = command.subscription.address {
        findings += await BrokerProbe(configuration, patience: min(5, timeout)).run().map {
          Diagnosis($0, at: address, flag: "subscribe")
        }
        try write(findings, to: output)
        if findings.contains(where: { $0.outcome == .failure }) { throw ExitStatus.unavailable.code }
        return
      }
      findings += await GPSDProbe(endpoint: endpoint, patience: timeout).run().map { Diagnosis($0, at: endpoint) }
      try write(findings, to: output)
      let hasFix = findings.contains { $0.step == GPSDFinding.Step.fix.rawValue && $0.outcome == .ok }
      if !hasFix || findings.contains(where: { $0.outcome == .failure }) { throw ExitStatus.unavailable.code }
    }
  }

  private static func findings(_ configuration: PublisherConfiguration, patience: Double) async -> [Diagnosis] {
    let address = configuration.session.address
    return switch address.peer {
    case .broker: await BrokerProbe(configuration, patience: patience).run().map { Diagnosis($0, at: address) }
    case .server: await ServerProbe(configuration, patience: patience).run().map { Diagnosis($0, at: address) }
    }
  }

  private func write(_ findings: [Diagnosis], to output: OutputFile) throws(CommandError) {
    var buffer = RecordBuffer()
    for finding in findings { buffer.append(text: (format == .json ? finding.json : finding.text) + "\n") }
    try output.print(buffer)
  }
}
