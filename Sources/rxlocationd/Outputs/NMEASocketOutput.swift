import FoundationEssentials
import Serving
import LocationKit
import Platform
import Records
import Rx
import RxBinding
import RxLocation

/// The NMEA sockets, which look like a receiver to chart plotters, GeoClue and gpsd.
@MainActor
final class NMEASocketOutput: ReceiverOutput {
  private(set) var loss: String?
  private let socket: RegionSocket
  private var formatter: NMEAFormatter
  private var buffer = RecordBuffer()
  /// The receiver's time of the last fix, and that of the source's clock then.
  private var last: (time: Date, clock: Double)?
  /// The subscription to satellites, while there is a reader.
  private var satellites: (any Disposable)?
  private let bag = DisposeBag()

  private init(_ socket: RegionSocket, isShort: Bool) {
    (self.socket, formatter) = (socket, NMEAFormatter(isShort: isShort))
  }

  static func privacy(_ settings: Settings) -> [PrivacyRule] { settings.privacy.nmea }

  static func open(_ outputs: Outputs, _ settings: Settings) async throws(CommandError) -> NMEASocketOutput? {
    guard !settings.sockets.nmea.isEmpty else { return nil }
    let socket = try await RegionSocket.open(.nmea, on: settings.sockets.nmea, formatter: nil, outputs, settings)
    outputs.places.append(counted(settings.sockets.nmea.count, "NMEA socket"))
    return NMEASocketOutput(socket, isShort: settings.sockets.nmeaShort)
  }

  func bind(to pipeline: PipelineView) {
    let (updates, clock) = (pipeline.satellites, pipeline.clock)
    pipeline.locations
      .bind(
        to: Binder(self) { output, locations in
          output.follow(updates)
          for location in locations {
            output.last = location.timestamp.map { ($0, clock.now) }
            output.publish { $0.append(location, to: &$1) }
          }
        }
      )
      .disposed(by: bag)
    pipeline.errors
      .filter { $0.code == .locationUnknown }
      .bind(
        to: Binder(self) { output, _ in
          let time = output.last.map { $0.time + (clock.now - $0.clock) }
          output.publish { $0.appendLoss(at: time, to: &$1) }
        }
      )
      .disposed(by: bag)
  }

  /// Follows the satellites while there is a reader, because gpsd sends much about them.
  private func follow(_ updates: Observable<[Satellite]>) {
    guard (satellites != nil) != (socket.statistics.readers > 0) else { return }
    if let satellites {
      satellites.dispose()
      (self.satellites, formatter.satellites) = (nil, [])
    } else {
      satellites = updates.bind(to: Binder(self) { $0.formatter.satellites = $1 })
    }
  }

  private func publish(_ append: (inout NMEAFormatter, inout RecordBuffer) -> Void) {
    buffer.removeAll()
    append(&formatter, &buffer)
    if !buffer.isEmpty { socket.publish(buffer) }
  }

  func addMetrics(to registry: MetricsRegistry) {
    registry.gauge("rxlocationd_nmea_readers", help: "Readers of the NMEA sockets.") { [socket] in
      Double(socket.statistics.readers)
    }
    registry.addLosses(of: "NMEA sockets") { [socket] in socket.statistics.account }
  }

  var summary: String? { "NMEA: \(socket.statistics.summary(of: "epoch"))" }

  func finish() async {
    satellites?.dispose()
    loss = await socket.finish("epoch")
  }

  nonisolated func cancel() async { await socket.shutdown(within: .zero) }
}
