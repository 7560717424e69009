import ArgumentParser
import Collecting
import GPSD
import Glibc
import LocationKit
import Platform
import Publishing
import Records
import Serving
import SystemPackage

struct DoctorCommand: ConfigurableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Find out what is wrong with the receiver, the outputs or the destinations of publishing.",
    discussion: """
      Ends with status 0 only when there is a fix, else with 69. Without settings on the command line it reads those of the \
      service, /etc/rxlocationd.conf, if that file exists. With --subscribe it checks the requirements of collect, and not a \
      fix.
      """)
  static let fileOptions: [any ParsableArguments.Type] =
    [
      GPSDOptions.self, RecordOptions.self, RegionSocketOptions.self, OutputOptions.self, MapOptions.self,
      PrivacyOptions.self, FenceOptions.self,
    ] + PublishingSettings.groups + SubscriptionSettings.groups

  enum Format: String, ExpressibleByArgument, CaseIterable {
    case text, json
  }

  @OptionGroup var gpsd: GPSDOptions

  @Option("timeout", "seconds", "How long to wait for the receiver and for a fix. (default: 10)", Bounds.staleAfter)
  var timeout = 10.0

  @OptionGroup var record: RecordOptions
  @OptionGroup var sockets: RegionSocketOptions
  @OptionGroup var outputs: OutputOptions
  @OptionGroup var map: MapOptions
  @OptionGroup var publishingOptions: PublishingOptions
  @OptionGroup var publishingSession: PublishingSettings.Session
  @OptionGroup var privacy: PrivacyOptions
  @OptionGroup var watch: FenceOptions
  @OptionGroup var subscriptionOptions: SubscriptionOptions
  @OptionGroup var subscriptionSession: SubscriptionSettings.Session
  @OptionGroup var configurationFile: ConfigurationOptions

  @Option(help: "text for a person, json for a machine.")
  var format = Format.text

  @Option(
    "bundle", "file",
    "Also pack an archive (tar.gz) for a report of a fault: settings without secrets, versions, the findings, and the last ten "
      + "minutes of the record.", Bounds.path)
  var bundle: String?

  @Flag(help: "Move all coordinates in the bundle by a secret offset that keeps shapes and distances.")
  var bundleOffset = false

  var publishing: PublishingSettings { PublishingSettings(options: publishingOptions, session: publishingSession) }

  var subscription: SubscriptionSettings {
    SubscriptionSettings(options: subscriptionOptions, session: subscriptionSession)
  }

  @MainActor mutating func readFences(again: Bool) async throws(CommandError) { try await watch.readFile(again: again) }

  func check() throws(SettingError) {
    try publishing.check()
    try map.check()
    try watch.fences.checkNames()
    try privacy.check(watch.fences)
    if subscriptionOptions.address != nil { try subscription.check() }
  }

  func checkMachine() throws(SettingError) {
    try sockets.checkMachine()
    try publishing.checkMachine()
    try privacy.checkMachine()
    try Destination.check(outputs, sockets, map, record: record.path, writesStandardOutput: false)
  }

  @MainActor
  func run() async throws {
    EarlySignals.reset()
    try await reportingErrors {
      let settingsFile = configurationFile.path ?? Self.serviceFile(for: Arguments.ofThisProcess)
      let command = try await Configuration(of: self, path: settingsFile).read()

      let endpoint = command.gpsd.gpsd
      let output = try OutputFile()
      let unit = command.subscriptionOptions.address == nil ? "rxlocationd.service" : "rxlocationd-collect.service"
      var findings: [Diagnosis] = []
      if let settingsFile, configurationFile.path == nil {
        findings.append(Diagnosis(step: "settings", .ok, "those of \(settingsFile), because no flag gives settings"))
      }
      var trial = OutputTrial(
        sockets: command.sockets, outputs: command.outputs, record: command.record, map: command.map, unit: unit)
      findings += try await trial.run()
      let patience = min(5, timeout)
      for configuration in command.publishing.configurations {
        switch configuration.session.address.peer {
        case .broker: findings += await BrokerProbe(configuration, patience: patience).run()
        case .server: findings += await ServerProbe(configuration, patience: patience).run()
        }
      }
      if let configuration = command.subscription.configuration {
        findings += await BrokerProbe(configuration, patience: patience).run()
        return try await command.write(findings, of: settingsFile, verdict: "collect can run", to: output)
      }
      let survey = await GPSDProbe(endpoint: endpoint, patience: timeout).run()
      findings += survey.findings
      if let location = survey.location {
        findings += (location.doubts ?? []).sentences.map { Diagnosis(step: "doubts", .warning, $0) }
        findings += try command.privacyFindings(location)
      }
      // Without a fix the last finding about gpsd is a failure.
      try await command.write(findings, of: settingsFile, verdict: "there is a fix", to: output)
    }
  }

  /// The settings of the service, if the file exists and the command line has no settings of its own.
  static func serviceFile(for words: [String], at path: FilePath = "/etc/rxlocationd.conf") -> FilePath? {
    let own = ["--timeout", "--format", "--bundle", "--bundle-offset"]
    let flags = words.filter { $0.hasPrefix("--") }.map { String($0.prefix { $0 != "=" }) }
    return flags.allSatisfy(own.contains) && access(path.string, F_OK) == 0 ? path : nil
  }

  private var namesOfPeople: [String] {
    var names: [String?] = [subscription.session.user, subscription.session.clientID]
    names += subscriptionOptions.filters.map(\.text)
    for configuration in publishing.configurations {
      names += [configuration.topic, configuration.session.clientID, configuration.session.user]
    }
    return names.compactMap(\.self).filter { !$0.isEmpty }
  }

  /// Writes the findings and, for a person, the verdict: these words, or the steps that failed. Packs them if asked to.
  private func write(
    _ findings: [Diagnosis], of settingsFile: FilePath?, verdict: String, to output: OutputFile
  ) async throws {
    var findings = findings
    if let bundle {
      var archive = ReportBundle(path: bundle, offset: bundleOffset ? CoordinateOffset() : nil)
      findings.append(
        try await archive.write(findings, without: namesOfPeople, settingsFile: settingsFile, record: record.path))
    }
    let failed = findings.filter { $0.outcome == .failure }.map(\.step)
    var lines = findings.map { format == .json ? $0.json : $0.text }
    if format == .text {
      let warnings = findings.count { $0.outcome == .warning }
      let end =
        failed.isEmpty
        ? Diagnosis(step: "verdict", .ok, verdict + (warnings > 0 ? ", with \(counted(warnings, "warning"))" : ""))
        : Diagnosis(step: "verdict", .failure, "to solve: \(failed.joined(separator: ", "))")
      lines.append(end.text)
    }
    var buffer = RecordBuffer()
    for line in lines { buffer.append(text: line + "\n") }
    try output.print(buffer)
    if !failed.isEmpty { throw ExitStatus.unavailable.code }
  }
}

extension DoctorCommand {
  func privacyFindings(_ location: Location) throws(CommandError) -> [Diagnosis] {
    var destinations: [(name: String, rules: [PrivacyRule])] = []
    if let address = map.address { destinations.append(("map page \(address)", privacy.map)) }
    destinations += sockets.locations.map { ("location socket \($0)", privacy.locationSocket) }
    destinations += sockets.addresses.map { ("region socket \($0)", privacy.regionSocket) }
    destinations += sockets.nmea.map { ("NMEA \($0.socket == nil ? "" : "socket ")\($0)", privacy.nmea) }
    destinations += publishing.addresses.map { ("\($0)", privacy.publish) }
    var findings: [Diagnosis] = []
    for (name, rules) in destinations {
      let policy = try PrivacyPolicy(rules, fences: watch.fences)
      findings.append(Diagnosis(step: "privacy", .ok, "\(name) sees \(policy.words(for: location))"))
    }
    return findings
  }
}

extension PrivacyPolicy {
  func words(for location: Location) -> String {
    if let fence = fence(hiding: location) { return "nothing: the location is hidden (in \(fence)'s zone)" }
    let seen = visible(location)
    let accuracy = seen.horizontalAccuracy.map { " ± \(fixedPoint($0, decimals: 0)) m" } ?? ""
    let others = [("altitude", seen.altitude), ("speed", seen.speed), ("course", seen.course)]
      .compactMap { name, value in value.map { _ in name } }
    let parts = [
      fixedPoint(seen.coordinate.latitude, decimals: 5),
      fixedPoint(seen.coordinate.longitude, decimals: 5) + accuracy,
    ]
    return (parts + (hasGrid ? ["without altitude, speed and course"] : others)).joined(separator: ", ")
  }
}
