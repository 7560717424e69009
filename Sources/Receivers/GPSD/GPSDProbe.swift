import FoundationEssentials
import LocationKit
import Platform

/// Checks each step once, from the address of gpsd to a fix, and reports its findings.
public struct GPSDProbe: Sendable {
  private let endpoint: GPSDEndpoint
  private let patience: Double
  private let configuration: GPSDConfiguration

  /// Creates a probe.
  ///
  /// - Parameters:
  ///   - endpoint: Which gpsd, and which of its devices.
  ///   - patience: How many seconds the receiver has to send reports and to get a fix. Earlier steps have as long, but at
  ///   most 5 s.
  public init(endpoint: GPSDEndpoint, patience: Double = 10) {
    self.endpoint = endpoint
    self.patience = patience
    configuration = GPSDConfiguration(connectTimeout: min(5, patience), greetingTimeout: min(5, patience))
  }

  /// Runs the probe on its own thread. The last finding is a failure or concerns the clock.
  public func run() async -> [GPSDFinding] {
    do {
      return try await Thread.result { findings() }
    } catch {
      return [.outOfResources(reason: "\(error)")]
    }
  }

  private func findings() -> [GPSDFinding] {
    var findings: [GPSDFinding] = []
    do throws(ProbeFailure) {
      try walk(&findings)
    } catch {
      findings.append(error.finding)
    }
    return findings
  }

  private func walk(_ findings: inout [GPSDFinding]) throws(ProbeFailure) {
    let wakeup: Wakeup
    do { wakeup = try Wakeup() } catch { throw ProbeFailure(finding: .outOfResources(reason: "\(error)")) }
    guard let decoder = ReportDecoder(readsPulses: true) else {
      throw ProbeFailure(finding: .outOfResources(reason: "no memory"))
    }

    var connector = Connector(to: endpoint.server, within: configuration.connectTimeout, wakeup: wakeup)
    let addresses: [ResolvedAddress]
    do throws(ConnectFailure) {
      addresses = try connector.addresses()
    } catch {
      throw ProbeFailure(finding: .noAddress(reason: error.reason))
    }
    findings.append(.addresses(addresses.count))

    let connection: GPSDConnection
    do {
      connection = GPSDConnection(descriptor: try connector.connect(to: addresses))
    } catch .denied(let reason) {
      throw ProbeFailure(finding: .connectionDenied(reason: reason))
    } catch .refused(let reason) {
      throw ProbeFailure(finding: .connectionRefused(reason: reason))
    } catch {
      throw ProbeFailure(finding: .noConnection(reason: error.reason))
    }
    findings.append(.connected)

    var conversation = Conversation(connection: connection, decoder: decoder, wakeup: wakeup, device: endpoint.device)
    findings.append(try conversation.greeting(within: configuration.greetingTimeout))
    findings.append(try conversation.watch(within: configuration.greetingTimeout))
    findings += try conversation.listen(within: patience)
  }
}

/// The dialogue of a probe with gpsd.
private struct Conversation {
  let connection: GPSDConnection
  let decoder: ReportDecoder
  let wakeup: Wakeup
  /// The device to check; `nil` for every device.
  let device: String?
  private var lines = LineBuffer()
  private var pending: [GPSDReport] = []

  init(connection: GPSDConnection, decoder: ReportDecoder, wakeup: Wakeup, device: String?) {
    self.connection = connection
    self.decoder = decoder
    self.wakeup = wakeup
    self.device = device
  }

  /// Waits for gpsd's greeting.
  mutating func greeting(within seconds: Double) throws(ProbeFailure) -> GPSDFinding {
    switch try next(by: monotonicSeconds() + seconds, step: .gpsd) {
    case .version(let release): return .gpsd(release: release)
    case nil: throw ProbeFailure(finding: .noGreeting(within: seconds))
    default: throw ProbeFailure(finding: .notGPSD)
    }
  }

  /// Asks for reports and reads the list of devices.
  mutating func watch(within seconds: Double) throws(ProbeFailure) -> GPSDFinding {
    do {
      try connection.sendWatch(pulses: true)
    } catch {
      throw ProbeFailure(finding: .connectionLost(.gpsd, reason: error.reason))
    }
    let deadline = monotonicSeconds() + seconds
    var devices: [String] = []
    while true {
      guard let report = try next(by: deadline, step: .gpsd) else {
        throw ProbeFailure(finding: .watchNotConfirmed(within: seconds))
      }
      if case .devices(let list) = report { devices = list }
      if report == .watch { break }
    }
    guard !devices.isEmpty else { throw ProbeFailure(finding: .noDevices) }
    if let device, !devices.contains(device) {
      throw ProbeFailure(finding: .deviceMissing(device, others: devices))
    }
    return .devices(devices)
  }

  /// Waits for a fix and judges the reports that arrive.
  mutating func listen(within seconds: Double) throws(ProbeFailure) -> [GPSDFinding] {
    var deadline = monotonicSeconds() + seconds
    var satellites: GPSDFinding.Satellites?
    var fix: LocationDraft?
    var pulse: GPSDFinding?
    var isComplete: Bool { fix?.latitude != nil && satellites != nil }
    while !isComplete || pulse == nil {
      let next: GPSDReport?
      do throws(ProbeFailure) {
        next = try self.next(by: deadline, step: .data)
      } catch {
        // The pulse is optional: if the connection ends while waiting for it, the other findings still count.
        guard isComplete else { throw error }
        break
      }
      guard let report = next else { break }
      let wasComplete = isComplete
      defer { if isComplete && !wasComplete { deadline = min(deadline, monotonicSeconds() + Self.pulsePatience) } }
      switch report {
      case .fix(let report, let source) where counts(source.device):
        if fix?.latitude == nil || report.mode >= .twoDimensional { fix = report }
      case .sky(let device, let list, _) where counts(device):
        satellites = GPSDFinding.Satellites(seen: list.count, used: list.count(where: \.isUsed))
      case .skyWithoutList(let device, let seen?, let used?, _) where counts(device):
        satellites = GPSDFinding.Satellites(seen: seen, used: used)
      case .pulse(let device, let offset, let precision) where counts(device):
        pulse = .pulse(device: device, offset: offset, precision: precision)
      default: break
      }
    }
    guard fix != nil || satellites != nil else { throw ProbeFailure(finding: .noData(within: seconds)) }
    guard let fix, fix.mode >= .twoDimensional, fix.latitude != nil else { return [.data, .noFix(satellites)] }
    return [.data, .fix(dimensions: Int(fix.mode.rawValue), satellites), Self.judgeClock(fix.time)]
      + [decoder.leapSeconds.map { .leapSeconds($0) }, pulse].compactMap(\.self)
  }

  /// Seconds to wait for a pulse when everything else is known: a receiver sends one each second, or never.
  private static let pulsePatience = 1.25

  private static func judgeClock(_ time: Date?) -> GPSDFinding {
    guard let time else { return .noTime }
    let difference = Date.now.timeIntervalSince(time)
    return abs(difference) > 10 ? .clockDiffers(difference) : .clockAgrees
  }

  private func counts(_ device: String?) -> Bool {
    self.device == nil || self.device == device
  }

  /// The next report; `nil` if none comes before the deadline, even while other lines arrive.
  private mutating func next(by deadline: Double, step: GPSDFinding.Step) throws(ProbeFailure) -> GPSDReport? {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 16_384, alignment: 1)
    defer { buffer.deallocate() }
    while pending.isEmpty {
      let left = deadline - monotonicSeconds()
      guard left > 0, connection.wait(seconds: left, wakeup: wakeup) == .ready else { return nil }
      do {
        guard let bytes = try connection.read(into: buffer) else { continue }
        lines.append(bytes) { [decoder] line in pending.append(decoder.decode(line)) }
      } catch {
        throw ProbeFailure(finding: .connectionLost(step, reason: error.reason))
      }
      if lines.droppedLines > 0 && pending.isEmpty { return .malformed }
    }
    return monotonicSeconds() < deadline ? pending.removeFirst() : nil
  }
}
