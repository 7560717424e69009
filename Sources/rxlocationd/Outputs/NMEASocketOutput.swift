import FoundationEssentials
import LocationKit
import Platform
import Records
import Rx
import RxBinding
import Serving
import Writing

/// The NMEA sockets, serial ports and datagrams, which look like a receiver to chart plotters, GeoClue and gpsd.
@MainActor
final class NMEASocketOutput: ReceiverOutput {
  private(set) var loss: String?
  private let socket: RegionSocket?
  private let streams: [RecordStream]
  private var formatter: NMEAFormatter
  private var buffer = RecordBuffer()
  /// The receiver's time of the last fix, and that of the source's clock then.
  private var last: (time: Date, clock: Double)?
  /// Whether there may be a reader.
  private let isRead = BehaviorRelay(value: false)
  private let bag = DisposeBag()

  static func privacy(_ settings: Settings) -> [PrivacyRule] { settings.privacy.nmea }

  init?(_ outputs: Outputs, _ settings: Settings) async throws(CommandError) {
    guard !settings.sockets.nmea.isEmpty else { return nil }
    formatter = NMEAFormatter(isShort: settings.sockets.nmeaShort)
    let addresses = settings.sockets.nmea.compactMap(\.socket)
    socket =
      addresses.isEmpty
      ? nil : try await RegionSocket.open(.nmea, on: addresses, formatter: nil, outputs, settings)
    if socket != nil { outputs.places.append(counted(addresses.count, "NMEA socket")) }
    var streams: [RecordStream] = []
    do throws(OutputError) {
      for address in settings.sockets.nmea {
        guard let stream = try Self.stream(to: address, outputs, settings) else { continue }
        streams.append(stream)
        outputs.places.append("NMEA \(address)")
      }
    } catch {
      // The file of a socket and the link to a terminal are removed.
      await socket?.shutdown(within: .zero)
      for stream in streams { await stream.finish() }
      throw CommandError(error)
    }
    self.streams = streams
  }

  private static func stream(
    to address: NMEAAddress, _ outputs: Outputs, _ settings: Settings
  ) throws(OutputError) -> RecordStream? {
    let file: any RecordFile
    switch address {
    case .socket: return nil
    case .terminal(let link):
      file = try PseudoTerminal(
        link: link, mode: settings.sockets.mode, group: settings.sockets.group.flatMap(Listeners.groupID))
    case .datagrams(let endpoint):
      if !LocalHost.isLocal(endpoint.host), !endpoint.host.hasPrefix("127.") {
        outputs.onNotice(
          OutputNotice(.warning, "NMEA \(address): everyone on the way there can see where the receiver is"))
      }
      file = try Datagrams(to: endpoint)
    }
    // A program that reads again after a while finds few old positions.
    let limit = outputs.isReplay ? Outputs.replayLimit : 8 << 10
    return try RecordStream(to: file, mode: outputs.mode, limit: limit, onNotice: outputs.onNotice)
  }

  func bind(to pipeline: PipelineView) {
    let (satellites, clock) = (pipeline.satellites, pipeline.clock)
    // gpsd sends much about satellites, so they are followed while there may be a reader.
    isRead
      .flatMapLatest { $0 ? satellites : .just([]) }
      .bind(to: Binder(self) { $0.formatter.satellites = $1 })
      .disposed(by: bag)
    pipeline.locations
      .bind(with: self) { output, locations in
        let isRead = !output.streams.isEmpty || output.socket.map { $0.statistics.readers > 0 } ?? false
        if isRead != output.isRead.value { output.isRead.accept(isRead) }
        for location in locations {
          output.last = location.timestamp.map { ($0, clock.now) }
          output.publish { $0.append(location, to: &$1) }
        }
      }
      .disposed(by: bag)
    pipeline.errors
      .filter { $0.code == .locationUnknown }
      .bind(with: self) { output, _ in
        let time = output.last.map { $0.time + (clock.now - $0.clock) }
        output.publish { $0.appendLoss(at: time, to: &$1) }
      }
      .disposed(by: bag)
  }

  private func publish(_ append: (inout NMEAFormatter, inout RecordBuffer) -> Void) {
    buffer.removeAll()
    append(&formatter, &buffer)
    guard !buffer.isEmpty else { return }
    socket?.publish(buffer)
    for stream in streams { stream.append(buffer) }
  }

  func addMetrics(to registry: MetricsRegistry) {
    for stream in streams { registry.addLosses(of: stream.name) { stream.statistics.account } }
    guard let socket else { return }
    registry.gauge("rxlocationd_nmea_readers", help: "Readers of the NMEA sockets.") {
      Double(socket.statistics.readers)
    }
    registry.addLosses(of: "NMEA sockets") { socket.statistics.account }
  }

  var summary: String? {
    let parts = streams.map { stream in
      let account = stream.statistics.account
      return "\(counted(account.written, "epoch")) to \(stream.name), \(account.lost) dropped"
    }
    return ((socket.map { ["NMEA: \($0.statistics.summary(of: "epoch"))"] } ?? []) + parts).joined(separator: "; ")
  }

  func finish() async {
    isRead.accept(false)
    var losses: [String] = []
    if let lost = await socket?.finish("epoch") { losses.append(lost) }
    for stream in streams {
      if let lost = await stream.finish().loss(of: stream) { losses.append(lost) }
    }
    if !losses.isEmpty { loss = losses.joined(separator: "; ") }
  }

  nonisolated func cancel() async {
    for stream in streams { stream.cancel() }
    await socket?.shutdown(within: .zero)
  }
}

/// Where `--nmea` serves or sends sentences: a socket, a pseudo-terminal or datagrams.
enum NMEAAddress: Sendable, Hashable, CustomStringConvertible {
  case socket(RegionSocketAddress)
  /// A pseudo-terminal, with a link to it at this path.
  case terminal(link: String)
  /// UDP datagrams to a host, or to all hosts of a network by its broadcast address.
  case datagrams(Endpoint)

  init(parsing text: String) throws(AddressError) {
    if text.hasPrefix("pty:") {
      let link = String(text.dropFirst(4))
      guard !link.isEmpty, !link.hasSuffix("/"), !link.utf8.contains(0) else {
        throw AddressError("'\(text)' has no path for the link; expected pty:PATH such as pty:/run/rxlocationd/gps")
      }
      self = .terminal(link: link)
    } else if text.hasPrefix("udp:") {
      let rest = text.dropFirst(4)
      guard rest.contains(":"), let endpoint = try? Endpoint(listening: String(rest)), endpoint.port > 0,
        endpoint.host != "*"
      else {
        throw AddressError(
          "'\(text)' has no host, or no port from 1 to 65535; expected udp:HOST:PORT such as udp:255.255.255.255:10110")
      }
      self = .datagrams(endpoint)
    } else {
      do {
        self = .socket(try RegionSocketAddress(parsing: text))
      } catch {
        throw AddressError("\(error), pty:PATH or udp:HOST:PORT")
      }
    }
  }

  var description: String {
    switch self {
    case .socket(let address): address.description
    case .terminal(let link): "pty:\(link)"
    case .datagrams(let endpoint): "udp:\(endpoint)"
    }
  }

  var socket: RegionSocketAddress? { if case .socket(let address) = self { address } else { nil } }
}
