import FoundationEssentials
import GPSD
import LocationKit
import Platform
import Records
import RegionSockets

/// A line of `doctor`'s output.
struct Diagnosis {
  var step: String
  var outcome: GPSDFinding.Outcome
  var message: String
  var hint: String?

  init(step: String, _ outcome: GPSDFinding.Outcome, _ message: String, hint: String? = nil) {
    self.step = step
    self.outcome = outcome
    self.message = message
    self.hint = hint
  }

  /// The line as text.
  var text: String {
    let word =
      switch outcome {
      case .ok: "ok       "
      case .warning: "warning  "
      case .failure: "FAILED   "
      }
    return word + step + ": " + message + (hint.map { "\n         hint: " + $0 } ?? "")
  }

  /// The line as a JSON object.
  var json: String {
    let bytes = RecordBuffer.bytes { buffer in
      buffer.appendObject {
        $0.appendMember("type", "doctor")
        $0.appendMember("step", step)
        $0.appendMember("outcome", outcome.rawValue)
        $0.appendMember("message", message)
        $0.appendMember("hint", hint)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension Diagnosis {
  /// Describes a finding about gpsd at `endpoint`, with a hint.
  init(_ finding: GPSDFinding, at endpoint: GPSDEndpoint) {
    self.init(
      step: finding.step.rawValue, finding.outcome, Self.message(finding, at: endpoint.server),
      hint: Self.hint(finding, at: endpoint.server))
  }

  private static func message(_ finding: GPSDFinding, at address: Endpoint) -> String {
    switch finding {
    case .outOfResources(let reason): "this process is out of threads, descriptors or memory: \(reason)"
    case .addresses(let count): "'\(address.host)' has \(counted(count, "address", "addresses"))"
    case .noAddress(let reason), .connectionLost(_, let reason): reason
    case .connected: "\(address) accepts connections"
    case .connectionRefused(let reason), .connectionDenied(let reason), .noConnection(let reason):
      "\(address): \(reason)"
    case .gpsd(let release): "gpsd \(release) answers"
    case .noGreeting(let seconds): "the program at this address sent nothing within \(seconds) s"
    case .notGPSD: "the program at this address is not gpsd"
    case .watchNotConfirmed(let seconds):
      "the program at this address does not begin to report within \(seconds) s"
    case .devices(let devices): "gpsd has \(devices.joined(separator: ", "))"
    case .noDevices: "gpsd has no device"
    case .deviceMissing(let device, let others): "gpsd has \(others.joined(separator: ", ")), but not \(device)"
    case .data: "the device sends reports"
    case .noData(let seconds): "the device has sent nothing for \(seconds) s"
    case .fix(let dimensions, let satellites): "\(dimensions)D fix: \(text(satellites))"
    case .noFix(let satellites):
      "no fix yet: \(text(satellites))"
        + (satellites?.strongest.map { ", the strongest at \(fixedPoint($0, decimals: 0)) dB-Hz" } ?? "")
    case .clockAgrees: "this host's clock agrees with the receiver"
    case .clockDiffers(let seconds):
      "this host's clock is \(durationText(abs(seconds))) \(seconds > 0 ? "ahead of" : "behind") the receiver"
    case .noTime: "the receiver does not know the time yet"
    case .leapSeconds, .pulse: finding.clockText ?? ""
    }
  }

  private static func hint(_ finding: GPSDFinding, at address: Endpoint) -> String? {
    let isLocal = LocalHost.isLocal(address.host)
    let ports = isLocal ? LocalHost.serialPorts() : []
    return switch finding {
    case .noAddress: "check the spelling, or name an address: --gpsd 127.0.0.1:2947"
    case .connectionRefused where isLocal:
      LocalHost.installing("gpsd")
        + "start gpsd: systemctl enable --now gpsd.socket; without IPv6 that unit fails until its line "
        + "ListenStream=[::1]:2947 is removed"
    case .connectionRefused: "start gpsd there, with -G so that it listens beyond loopback"
    case .connectionDenied:
      "a firewall or this service's sandbox forbids it; see IPAddressAllow= in rxlocationd.service"
    case .noConnection: "check the address, the network and firewalls between here and there"
    case .noGreeting, .notGPSD, .watchNotConfirmed: "check the port; gpsd's is \(GPSDEndpoint.defaultPort)"
    case .connectionLost: "look at gpsd's log: journalctl -u gpsd"
    case .noDevices: noDeviceHint(ports)
    case .deviceMissing: "name one of those, or no device: --gpsd \(address)"
    case .noData: holders(of: ports) + "check its cable and power; see with gpsmon whether its speed is wrong"
    case .noFix(let satellites):
      (satellites?.strongest.map { $0 < 30 } ?? false
        ? "signals below 30 dB-Hz are too weak; keep the antenna away from computers and USB 3, and " : "")
        + "give the antenna a free view of the sky; a first fix can take a quarter of an hour"
    case .clockDiffers(let seconds) where Date.now - seconds < RxLocationD.released:
      "the receiver's date is before this program was made: its count of weeks, which restarts after 1024, has probably "
        + "run over; update its firmware, or gpsd"
    case .clockDiffers: "let chrony or systemd-timesyncd set it, unless the receiver is a replay or simulated"
    default: nil
    }
  }

  /// Names the serial ports of this host.
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
      LocalHost.users(of: port).map { "\($0) has \(port) open, so end it; " }.joined()
    }.joined()
  }

  private static func text(_ satellites: GPSDFinding.Satellites?) -> String {
    satellites.map { StatusText.words(seen: $0.seen, used: $0.used) } ?? "satellites not reported"
  }
}

extension GPSDFinding {
  /// The receiver's time information in words; `nil` for other findings.
  var clockText: String? {
    switch self {
    case .leapSeconds(let seconds): "GPS is \(counted(seconds, "leap second")) ahead of UTC"
    case .pulse(let device, let offset, let precision):
      "PPS\(device.map { " of \($0)" } ?? ""): this host's clock is \(Self.duration(abs(offset))) "
        + (offset < 0 ? "behind" : "ahead") + (precision.map { ", precision \($0)" } ?? "")
    default: nil
    }
  }

  /// A short form for a narrow row that is labelled "Clock" and also shows the other finding.
  var shortClockText: String? {
    switch self {
    case .leapSeconds(let seconds): "\(seconds) leap s"
    case .pulse(_, let offset, _): "\(Self.shortDuration(abs(offset))) \(offset < 0 ? "behind" : "ahead")"
    default: nil
    }
  }

  private static func duration(_ seconds: Double) -> String {
    // Values that would round to 1000 are shown in the next unit.
    switch seconds {
    case ..<0.000_999_5: "\(Int((seconds * 1e6).rounded())) µs"
    case ..<0.999_5: "\(Int((seconds * 1e3).rounded())) ms"
    default: durationText(seconds)
    }
  }

  /// Only the largest unit.
  private static func shortDuration(_ seconds: Double) -> String {
    duration(seconds).split(separator: " ").prefix(2).joined(separator: " ")
  }
}
