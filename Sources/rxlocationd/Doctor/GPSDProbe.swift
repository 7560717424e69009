import FoundationEssentials
import GPSD
import LocationKit
import Platform

struct GPSDProbe {
  let endpoint: GPSDEndpoint
  /// Seconds that the receiver has to send reports and to get a fix. Earlier steps have as long, but at most 5 s.
  var patience = 10.0

  /// Runs the probe on a thread of its own.
  func run() async -> GPSDSurvey {
    do {
      return try await Thread.result { survey() }
    } catch {
      var survey = GPSDSurvey(endpoint)
      survey.add(.connecting(.system("\(error)")))
      return survey
    }
  }

  private func survey() -> GPSDSurvey {
    var survey = GPSDSurvey(endpoint)
    do {
      guard let decoder = ReportDecoder(readsPulses: true) else {
        throw ConnectionFailure.connecting(.system("no memory"))
      }
      let connection = try connect(decoder, &survey)
      while connection.state != .watching { try connection.receive { survey.add($0) } }
      if survey.addDevices() { try listen(to: connection, decoder, &survey) }
    } catch {
      survey.add((error as? ConnectFailure).map { .connecting($0) } ?? error as? ConnectionFailure ?? .lost("\(error)"))
    }
    return survey
  }

  private func connect(_ decoder: ReportDecoder, _ survey: inout GPSDSurvey) throws -> GPSDConnection {
    let wakeup: Wakeup
    do { wakeup = try Wakeup() } catch { throw ConnectFailure.system("\(error)") }
    var connector = Connector(to: endpoint.server, within: min(5, patience), wakeup: wakeup)
    let addresses = try connector.addresses()
    survey.add("name", .ok, "'\(endpoint.server.host)' has \(counted(addresses.count, "address", "addresses"))")
    let descriptor = try connector.connect(to: addresses)
    survey.add("connection", .ok, "\(endpoint.server) accepts connections")
    return GPSDConnection(GPSDSocket(descriptor, wakeup: wakeup), decoder: decoder, patience: min(5, patience))
  }

  /// Seconds to wait for a pulse when everything else is known: a receiver sends one each second, or never.
  private static let pulsePatience = 1.25

  private func listen(
    to connection: GPSDConnection, _ decoder: ReportDecoder, _ survey: inout GPSDSurvey
  ) throws(ConnectionFailure) {
    let limit = monotonicSeconds() + patience
    do throws(ConnectionFailure) {
      while !survey.isComplete, try connection.receive(by: limit, { survey.add($0) }) {}
      let pulseLimit = min(limit, monotonicSeconds() + Self.pulsePatience)
      while survey.clock.pulse == nil, try connection.receive(by: pulseLimit, { survey.add($0) }) {}
    } catch {
      // The pulse is optional: if the connection ends while waiting for it, the other findings still count.
      guard survey.isComplete else { throw error }
    }
    survey.addResult(within: patience, leapSeconds: decoder.leapSeconds)
  }
}

struct GPSDSurvey {
  /// The last finding is a failure or concerns the clock.
  private(set) var findings: [Diagnosis] = []
  private(set) var clock = ReceiverClock()
  private let endpoint: GPSDEndpoint
  private var devices: [String] = []
  private var satellites: (seen: Int, used: Int, strongest: Double?)?
  private var fix: LocationDraft?
  private var hasFault = false

  init(_ endpoint: GPSDEndpoint) { self.endpoint = endpoint }

  var location: Location? {
    var location = fix?.location(satellitesUsed: satellites?.used, satellitesSeen: satellites?.seen)
    if hasFault { location?.doubts = .receiver }
    return location
  }

  var isComplete: Bool { fix?.latitude != nil && satellites != nil }

  mutating func add(_ step: String, _ outcome: Diagnosis.Outcome, _ message: String, hint: String? = nil) {
    findings.append(Diagnosis(step: step, outcome, message, hint: hint))
  }

  mutating func add(_ report: GPSDReport) {
    switch report {
    case .version(let release) where findings.last?.step == "connection": add("gpsd", .ok, "gpsd \(release) answers")
    case .devices(let list): devices = list
    case .fix(let report, let source) where counts(source.device):
      hasFault = report.hasFault ?? hasFault
      if fix?.latitude == nil || report.mode >= .twoDimensional { fix = report }
    case .sky(let device, let list, let seen?, let used?, _) where counts(device):
      satellites = (seen, used, list?.compactMap(\.signal).max())
    case .pulse(let device, let offset, let precision) where counts(device):
      clock.pulse = (device, offset, precision)
    default: break
    }
  }

  private func counts(_ device: String?) -> Bool { endpoint.device == nil || endpoint.device == device }

  /// Adds the finding about gpsd's devices. Returns whether the device is among them.
  mutating func addDevices() -> Bool {
    if devices.isEmpty {
      add("devices", .failure, "gpsd has no device", hint: Self.noDeviceHint(ports))
    } else if let device = endpoint.device, !devices.contains(device) {
      add(
        "devices", .failure, "gpsd has \(devices.joined(separator: ", ")), but not \(device)",
        hint: "name one of those, or no device: --gpsd \(endpoint.server)")
    } else {
      add("devices", .ok, "gpsd has \(devices.joined(separator: ", "))")
      return true
    }
    return false
  }

  mutating func addResult(within seconds: Double, leapSeconds: Int?) {
    guard fix != nil || satellites != nil else {
      return add(
        "data", .failure, "the device has sent nothing for \(seconds) s",
        hint: Self.holders(of: ports) + "check its cable and power; see with gpsmon whether its speed is wrong")
    }
    add("data", .ok, "the device sends reports")
    let counts = satellites.map { StatusText.words(seen: $0.seen, used: $0.used) } ?? "satellites not reported"
    guard let fix, fix.mode >= .twoDimensional, fix.latitude != nil else { return addNoFix(counts) }
    add("fix", .ok, "\(fix.mode.rawValue)D fix: \(counts)")
    addClock(fix.time)
    clock.leapSeconds = leapSeconds
    findings += clock.sentences.map { Diagnosis(step: "clock", .ok, $0) }
  }

  private mutating func addNoFix(_ counts: String) {
    let strongest = satellites?.strongest
    let signal = strongest.map { ", the strongest at \(fixedPoint($0, decimals: 0)) dB-Hz" } ?? ""
    let advice =
      strongest.map { $0 < 30 } ?? false
      ? "signals below 30 dB-Hz are too weak; keep the antenna away from computers and USB 3, and " : ""
    add(
      "fix", .failure, "no fix yet: \(counts)\(signal)",
      hint: advice + "give the antenna a free view of the sky; a first fix can take a quarter of an hour")
  }

  private mutating func addClock(_ time: Date?) {
    guard let time else { return add("clock", .warning, "the receiver does not know the time yet") }
    let difference = Date.now.timeIntervalSince(time)
    guard abs(difference) > 10 else { return add("clock", .ok, "this host's clock agrees with the receiver") }
    add(
      "clock", .warning,
      "this host's clock is \(durationText(abs(difference))) \(difference > 0 ? "ahead of" : "behind") the receiver",
      hint: time < RxLocationD.released
        ? "the receiver's date is before this program was made: its count of weeks, which restarts after 1024, has probably "
          + "run over; update its firmware, or gpsd"
        : "let chrony or systemd-timesyncd set it, unless the receiver is a replay or simulated")
  }

  mutating func add(_ failure: ConnectionFailure) {
    let port = "check the port; gpsd's is \(GPSDEndpoint.defaultPort)"
    let (step, message, hint): (String, String, String) =
      switch failure {
      case .connecting(.noAddress(let reason)):
        ("name", reason, "check the spelling, or name an address: --gpsd 127.0.0.1:2947")
      case .connecting(.system(let reason)):
        ("name", "this process is out of threads, descriptors or memory: \(reason)", Diagnosis.resourceHint)
      case .connecting(let failure): ("connection", "\(endpoint.server): \(failure.reason)", hint(failure))
      case .notGPSD: ("gpsd", "the program at this address is not gpsd", port)
      case .closed: ("gpsd", "the program at this address closes the connection without a greeting", port)
      case .silent(let isGreeting, let seconds):
        (
          "gpsd",
          "the program at this address \(isGreeting ? "sent nothing" : "does not begin to report") within \(seconds) s",
          port
        )
      case .lost(let reason):
        (findings.last?.step == "devices" ? "data" : "gpsd", reason, "look at gpsd's log: journalctl -u gpsd")
      }
    add(step, .failure, message, hint: hint)
  }

  private func hint(_ failure: ConnectFailure) -> String {
    switch failure {
    case .refused where LocalHost.isLocal(endpoint.server.host):
      LocalHost.starting("gpsd", unit: "gpsd.socket")
        + (LocalHost.hasIPv6
          ? ""
          : "; this host has no IPv6, so first: sudo systemctl edit --full gpsd.socket, and remove "
            + "its line ListenStream=[::1]:2947")
    case .refused: "start gpsd there, with -G so that it listens beyond loopback"
    case .denied: "a firewall or this service's sandbox forbids it; see IPAddressAllow= in rxlocationd.service"
    default: "check the address, the network and firewalls between here and there"
    }
  }

  private var ports: [String] { LocalHost.isLocal(endpoint.server.host) ? LocalHost.serialPorts() : [] }

  static func noDeviceHint(_ ports: [String]) -> String {
    guard let first = ports.first else {
      return "plug the receiver in; name it in DEVICES of /etc/default/gpsd or: gpsdctl add /dev/ttyUSB0"
    }
    return holders(of: ports)
      + "this host has \(ports.joined(separator: ", ")): sudo gpsdctl add \(first), and name it in "
      + "DEVICES of /etc/default/gpsd"
  }

  /// Names the programs that have these ports open, which takes the receiver's data from gpsd.
  private static func holders(of ports: [String]) -> String {
    ports.map { port in
      LocalHost.users(of: port).filter { $0.name != "gpsd" }
        .map { "\($0.words) has \(port) open, so end it; " }.joined()
    }.joined()
  }
}

/// What a receiver tells of the time beside its fixes.
struct ReceiverClock {
  /// The seconds by which GPS time is ahead of UTC.
  var leapSeconds: Int?
  /// A pulse per second: this host's clock was `offset` seconds ahead of it, accurate to 2 to the power of `precision` seconds.
  var pulse: (device: String?, offset: Double, precision: Int?)?

  var sentences: [String] {
    let leap = leapSeconds.map { "GPS is \(counted($0, "leap second")) ahead of UTC" }
    let pulse = pulse.map { pulse in
      "PPS\(pulse.device.map { " of \($0)" } ?? ""): this host's clock is \(Self.duration(abs(pulse.offset))) "
        + Self.side(pulse.offset) + (pulse.precision.map { ", precision \($0)" } ?? "")
    }
    return [leap, pulse].compactMap(\.self)
  }

  /// A short form for a narrow row that is labelled "Clock": "12 µs ahead, 18 leap s". `nil` if nothing is known.
  var short: String? {
    // Only the largest unit.
    let pulse = pulse.map { pulse in
      Self.duration(abs(pulse.offset)).split(separator: " ").prefix(2).joined(separator: " ")
        + " \(Self.side(pulse.offset))"
    }
    let parts = [pulse, leapSeconds.map { "\($0) leap s" }].compactMap(\.self)
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }

  private static func side(_ offset: Double) -> String { offset < 0 ? "behind" : "ahead" }

  private static func duration(_ seconds: Double) -> String {
    // Values that would round to 1000 are shown in the next unit.
    switch seconds {
    case ..<0.000_999_5: "\(Int((seconds * 1e6).rounded())) µs"
    case ..<0.999_5: "\(Int((seconds * 1e3).rounded())) ms"
    default: durationText(seconds)
    }
  }
}
