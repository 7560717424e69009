import FoundationEssentials
import LocationKit
import Platform

/// Checks each step once, from the address of gpsd to a fix, and reports its findings.
public struct GPSDProbe: Sendable {
  private let endpoint: GPSDEndpoint
  private let patience: Double
  private let configuration: GPSDConfiguration

  /// Creates a probe. The receiver has `patience` seconds to send reports and to get a fix. Earlier steps have as long, but
  /// at most 5 s.
  public init(endpoint: GPSDEndpoint, patience: Double = 10) {
    self.endpoint = endpoint
    self.patience = patience
    configuration = GPSDConfiguration(connectTimeout: min(5, patience), greetingTimeout: min(5, patience))
  }

  /// Runs the probe on its own thread. The last finding is a failure or concerns the clock.
  public func run() async -> [GPSDFinding] { await survey().findings }

  /// Runs the probe as `run` does, and returns the fix as well.
  package func survey() async -> (findings: [GPSDFinding], location: Location?) {
    do {
      return try await Thread.result { surveyed() }
    } catch {
      return ([.outOfResources(reason: "\(error)")], nil)
    }
  }

  private func surveyed() -> (findings: [GPSDFinding], location: Location?) {
    let wakeup: Wakeup
    do { wakeup = try Wakeup() } catch { return ([.outOfResources(reason: "\(error)")], nil) }
    guard let decoder = ReportDecoder(readsPulses: true) else { return ([.outOfResources(reason: "no memory")], nil) }
    var survey = Survey(device: endpoint.device)
    do throws(ConnectionFailure) {
      let connection = try connect(decoder, wakeup, &survey)
      while connection.state != .watching { try connection.receive { survey.add($0) } }
      if survey.addDevices() { try listen(to: connection, decoder, &survey) }
    } catch {
      survey.findings.append(GPSDFinding(error, at: survey.step))
    }
    return (survey.findings, survey.location)
  }

  private func connect(
    _ decoder: ReportDecoder, _ wakeup: Wakeup, _ survey: inout Survey
  ) throws(ConnectionFailure) -> GPSDConnection {
    var connector = Connector(to: endpoint.server, within: configuration.connectTimeout, wakeup: wakeup)
    do throws(ConnectFailure) {
      let addresses = try connector.addresses()
      survey.findings.append(.addresses(addresses.count))
      let descriptor = try connector.connect(to: addresses)
      survey.findings.append(.connected)
      return GPSDConnection(
        GPSDSocket(descriptor, wakeup: wakeup), decoder: decoder, patience: configuration.greetingTimeout)
    } catch {
      throw .connecting(error)
    }
  }

  /// Seconds to wait for a pulse when everything else is known: a receiver sends one each second, or never.
  private static let pulsePatience = 1.25

  private func listen(
    to connection: GPSDConnection, _ decoder: ReportDecoder, _ survey: inout Survey
  ) throws(ConnectionFailure) {
    let limit = monotonicSeconds() + patience
    do throws(ConnectionFailure) {
      while !survey.isComplete, try connection.receive(by: limit, { survey.add($0) }) {}
      let pulseLimit = min(limit, monotonicSeconds() + Self.pulsePatience)
      while survey.pulse == nil, try connection.receive(by: pulseLimit, { survey.add($0) }) {}
    } catch {
      // The pulse is optional: if the connection ends while waiting for it, the other findings still count.
      guard survey.isComplete else { throw error }
    }
    survey.addResult(within: patience, leapSeconds: decoder.leapSeconds)
  }
}

/// The findings of a probe, and the reports from which it makes them.
private struct Survey {
  var findings: [GPSDFinding] = []
  /// The step of a connection that ends.
  private(set) var step = GPSDFinding.Step.gpsd
  private(set) var pulse: GPSDFinding?
  /// The device to check; `nil` for every device.
  private let device: String?
  private var devices: [String] = []
  private var satellites: GPSDFinding.Satellites?
  private var fix: LocationDraft?
  private var hasFault = false

  init(device: String?) { self.device = device }

  var location: Location? {
    var location = fix?.location(satellitesUsed: satellites?.used, satellitesSeen: satellites?.seen)
    if hasFault { location?.doubts = .receiver }
    return location
  }

  /// Whether the fix and the satellites are known.
  var isComplete: Bool { fix?.latitude != nil && satellites != nil }

  mutating func add(_ report: GPSDReport) {
    switch report {
    case .version(let release) where findings.last == .connected: findings.append(.gpsd(release: release))
    case .devices(let list): devices = list
    case .fix(let report, let source) where counts(source.device):
      hasFault = report.hasFault ?? hasFault
      if fix?.latitude == nil || report.mode >= .twoDimensional { fix = report }
    case .sky(let device, let list, let seen?, let used?, _) where counts(device):
      satellites = GPSDFinding.Satellites(seen: seen, used: used, strongest: list?.compactMap(\.signal).max())
    case .pulse(let device, let offset, let precision) where counts(device):
      pulse = .pulse(device: device, offset: offset, precision: precision)
    default: break
    }
  }

  private func counts(_ device: String?) -> Bool { self.device == nil || self.device == device }

  /// Adds the finding about gpsd's devices. Returns whether the device is among them.
  mutating func addDevices() -> Bool {
    if devices.isEmpty {
      findings.append(.noDevices)
    } else if let device, !devices.contains(device) {
      findings.append(.deviceMissing(device, others: devices))
    } else {
      findings.append(.devices(devices))
      step = .data
      return true
    }
    return false
  }

  mutating func addResult(within seconds: Double, leapSeconds: Int?) {
    guard fix != nil || satellites != nil else { return findings.append(.noData(within: seconds)) }
    findings.append(.data)
    guard let fix, fix.mode >= .twoDimensional, fix.latitude != nil else { return findings.append(.noFix(satellites)) }
    findings.append(.fix(dimensions: Int(fix.mode.rawValue), satellites))
    let difference = fix.time.map { Date.now.timeIntervalSince($0) }
    findings.append(difference.map { abs($0) > 10 ? .clockDiffers($0) : .clockAgrees } ?? .noTime)
    findings += [leapSeconds.map { .leapSeconds($0) }, pulse].compactMap(\.self)
  }
}

extension GPSDFinding {
  fileprivate init(_ failure: ConnectionFailure, at step: Step) {
    switch failure {
    case .connecting(.noAddress(let reason)): self = .noAddress(reason: reason)
    case .connecting(.denied(let reason)): self = .connectionDenied(reason: reason)
    case .connecting(.refused(let reason)): self = .connectionRefused(reason: reason)
    case .connecting(.system(let reason)): self = .outOfResources(reason: reason)
    case .connecting(let failure): self = .noConnection(reason: failure.reason)
    case .notGPSD: self = .notGPSD
    case .silent(isGreeting: true, let seconds): self = .noGreeting(within: seconds)
    case .silent(isGreeting: false, let seconds): self = .watchNotConfirmed(within: seconds)
    case .lost(let reason): self = .connectionLost(step, reason: reason)
    }
  }
}
