import Glibc
import Serving
import Writing
import Platform
import Records

@MainActor
final class RegionSocketOutput: ReceiverOutput {
  private(set) var loss: String?
  private let socket: RegionSocket

  static func privacy(_ settings: Settings) -> [PrivacyRule] { settings.privacy.regionSocket }

  init?(_ outputs: Outputs, _ settings: Settings) async throws(CommandError) {
    let addresses = settings.sockets.addresses
    let descriptors = ListenDescriptors.inherited()
    guard !addresses.isEmpty || !descriptors.isEmpty else { return nil }
    socket = try await RegionSocket.open(
      .regions, on: addresses, descriptors: descriptors, formatter: NDJSONFormatter(), outputs, settings)
    outputs.places.append(counted(descriptors.count + addresses.count, "region socket"))
  }

  func bind(to pipeline: PipelineView) { pipeline.regionRecords.forEach { [socket] in socket.publish($0) } }

  func addMetrics(to registry: MetricsRegistry) {
    registry.gauge("rxlocationd_region_readers", help: "Readers of the region sockets.") { [socket] in
      Double(socket.statistics.readers)
    }
    registry.addCounters(
      of: { [socket] in socket.statistics }, ("regions", "Regions that were published.", { $0.published }),
      ("region_drops", "Regions that slow readers have missed.", { $0.account.lost }),
      ("region_sent_bytes", "Bytes that were sent to readers.", { $0.bytes }))
  }

  var summary: String? { socket.statistics.summary(of: "region") }

  func finish() async { loss = await socket.finish("region") }

  nonisolated func cancel() async { await socket.shutdown(within: .zero) }
}

extension RegionSocket {
  @MainActor
  static func open(
    _ content: Content, on addresses: [RegionSocketAddress], descriptors: [Int32] = [],
    formatter: (any RecordFormatter)?, onWant: WantHandler? = nil, _ outputs: Outputs, _ settings: Settings
  ) async throws(CommandError) -> RegionSocket {
    let socket = RegionSocket(
      content, loop: try outputs.networkLoop(), configuration: .init(settings), formatter: formatter, onWant: onWant,
      onNotice: outputs.onNotice)
    do throws(OutputError) {
      for descriptor in descriptors { try await socket.adopt(descriptor: descriptor) }
      for address in addresses { try await socket.listen(on: address) }
    } catch {
      // Shutting down removes the file of a socket that was opened before the failure.
      await socket.shutdown(within: .zero)
      throw CommandError(error)
    }
    return socket
  }

  /// Sends each reader its remaining updates; returns the lost ones in one sentence.
  func finish(_ noun: String) async -> String? {
    await shutdown(within: nil)
    let account = statistics.account
    guard !account.isSettled else { return nil }
    return "\(content.name): \(account.notDelivered("sent", noun)), because a reader was too slow"
  }
}

extension BroadcastStatistics {
  func summary(of noun: String) -> String {
    "\(counted(readers, "reader")), \(counted(published, noun)) published, \(account.lost) dropped"
  }
}

extension RegionSocket.Configuration {
  init(_ settings: Settings) {
    self.init()
    mode = settings.sockets.mode
    group = settings.sockets.group
    broadcast.readerLimit = settings.readerLimit
  }
}

/// The listening sockets that systemd opened for this service (sd_listen_fds(3)).
enum ListenDescriptors {
  /// The descriptors of the unit, closed on exec; `first` is the number of the first one, 3 in the protocol.
  static func inherited(environment: [String: String] = ServiceManager.environment, first: Int32 = 3) -> [Int32] {
    guard environment["LISTEN_PID"] == String(getpid()),
      let count = environment["LISTEN_FDS"].flatMap(Int32.init), (1...1024).contains(count)
    else { return [] }
    return (first..<first + count).filter { descriptor in
      let flags = fcntl(descriptor, F_GETFD)
      guard flags >= 0 else { return false }
      return fcntl(descriptor, F_SETFD, flags | FD_CLOEXEC) == 0
    }
  }
}
