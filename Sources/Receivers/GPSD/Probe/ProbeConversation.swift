import FoundationEssentials
import Glibc

/// What a probe says to gpsd and hears from it.
struct ProbeConversation {
  private let link: Link
  private let decoder: ReportDecoder
  private let wakeup: Wakeup
  private var lines = LineBuffer()
  private var pending: [GPSDReport] = []

  init(link: Link, decoder: ReportDecoder, wakeup: Wakeup) {
    self.link = link
    self.decoder = decoder
    self.wakeup = wakeup
  }

  /// gpsd's release.
  mutating func greeting(within seconds: Double) throws(ProbeFailure) -> String {
    let report = try next(by: monotonicSeconds() + seconds, step: .gpsd)
    if case .version(let release) = report { return release }
    throw ProbeFailure(
      .gpsd, report == nil ? "what answers there says nothing for \(seconds) s" : "what answers there is not gpsd",
      mend: "check the port; gpsd's is \(GPSDEndpoint.defaultPort)")
  }

  /// Asks for the stream; finds out which devices there are.
  mutating func watch(
    _ endpoint: GPSDEndpoint, within seconds: Double, _ findings: inout [GPSDFinding]
  ) throws(ProbeFailure) {
    do {
      try link.send("?WATCH={\"enable\":true,\"json\":true};\n")
    } catch {
      throw ProbeFailure(.gpsd, error.reason, mend: "look at gpsd's log: journalctl -u gpsd")
    }
    let deadline = monotonicSeconds() + seconds
    var devices: [String] = []
    while let report = try next(by: deadline, step: .gpsd) {
      if case .devices(let list) = report { devices = list }
      if case .watch = report { break }
    }
    guard !devices.isEmpty else {
      throw ProbeFailure(
        .devices, "gpsd has no device",
        mend: "plug the receiver in; name it in DEVICES of /etc/default/gpsd or: gpsdctl add /dev/ttyUSB0")
    }
    if let device = endpoint.device, !devices.contains(device) {
      throw ProbeFailure(
        .devices, "gpsd has \(devices.joined(separator: ", ")), but not \(device)",
        mend: "name one of those, or none: --gpsd \(endpoint.address)")
    }
    findings.append(GPSDFinding(.devices, .ok, "gpsd has \(devices.joined(separator: ", "))"))
  }

  /// Waits for a fix and judges what comes instead.
  mutating func listen(
    _ endpoint: GPSDEndpoint, within seconds: Double, _ findings: inout [GPSDFinding]
  ) throws(ProbeFailure) {
    let deadline = monotonicSeconds() + seconds
    var satellites: (seen: Int, used: Int)?
    var fix: GPSDFix?
    while fix?.latitude == nil || satellites == nil, let report = try next(by: deadline, step: .data) {
      switch report {
      case .fix(let report) where Self.counts(report.device, endpoint):
        if fix?.latitude == nil || report.mode >= 2 { fix = report }
      case .sky(let device, let seen, let used) where Self.counts(device, endpoint):
        satellites = (seen, used)
      default: break
      }
    }
    guard fix != nil || satellites != nil else {
      throw ProbeFailure(
        .data, "the device has said nothing for \(seconds) s",
        mend: "check its cable and power; see with gpsmon whether another program holds it or its speed is wrong")
    }
    findings.append(GPSDFinding(.data, .ok, "the device sends reports"))
    let sky = satellites.map { "\($0.seen) satellites seen, \($0.used) used" } ?? "satellites not reported"
    guard let fix, fix.mode >= 2, fix.latitude != nil else {
      throw ProbeFailure(
        .fix, "no fix yet: \(sky)",
        mend: "give the antenna a free view of the sky; a first fix can take a quarter of an hour")
    }
    findings.append(GPSDFinding(.fix, .ok, "\(fix.mode)D fix: \(sky)"))
    findings.append(Self.judgeClock(fix.time))
  }

  private static func judgeClock(_ time: Date?) -> GPSDFinding {
    guard let time else { return GPSDFinding(.clock, .warning, "the receiver does not know the time yet") }
    let difference = Date.now.timeIntervalSince(time)
    guard abs(difference) > 10 else { return GPSDFinding(.clock, .ok, "this host's clock agrees with the receiver") }
    let direction = difference > 0 ? "ahead of" : "behind"
    return GPSDFinding(
      .clock, .warning, "this host's clock is \(Int(abs(difference).rounded())) s \(direction) the receiver",
      mend: "let chrony or systemd-timesyncd set it, unless the receiver is a replay or simulated")
  }

  private static func counts(_ device: String?, _ endpoint: GPSDEndpoint) -> Bool {
    endpoint.device == nil || endpoint.device == device
  }

  /// The next report; `nil` when there is none by the deadline.
  private mutating func next(by deadline: Double, step: GPSDFinding.Step) throws(ProbeFailure) -> GPSDReport? {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 16_384, alignment: 1)
    defer { buffer.deallocate() }
    while pending.isEmpty {
      guard link.wait(seconds: deadline - monotonicSeconds(), wakeup: wakeup) == .ready else { return nil }
      do {
        guard let bytes = try link.read(into: buffer) else { continue }
        lines.append(bytes) { [decoder] line in pending.append(decoder.decode(line)) }
      } catch {
        throw ProbeFailure(step, error.reason, mend: "look at gpsd's log: journalctl -u gpsd")
      }
      if lines.droppedLines > 0 && pending.isEmpty { return .malformed }
    }
    return pending.removeFirst()
  }
}
