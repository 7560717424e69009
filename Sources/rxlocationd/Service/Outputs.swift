import Dispatch
import LocationKit
import Logging
import Output

/// Everything that this process writes to: opened before it says that it is ready, closed when it ends.
@MainActor
final class Outputs {
  let locations: LocationStream
  let regions: RegionStream
  let regionLog: RegionLog?
  let regionSocket: RegionSocket?
  let network: NetworkLoop?
  private var metrics: Metrics?
  private var metricsEndpoint: MetricsEndpoint?
  private let onNotice: OutputNotice.Handler

  /// How long each output gets to write out what it holds.
  private static let patience = Duration.milliseconds(400)

  /// Opens what `settings` name, except the metrics.
  ///
  /// - Parameters:
  ///   - isReplay: Whether the source can wait for a slow reader; a live one cannot.
  ///   - descriptors: Listening sockets from the service manager, for the region socket.
  ///   - onEnd: Called when nobody reads standard output any more, or it failed.
  /// - Throws: `CommandError` for an output that cannot be opened.
  init(
    _ settings: Settings, isReplay: Bool, descriptors: [Int32], logger: Logger,
    onEnd: @escaping @Sendable (RecordStream.End) -> Void
  ) async throws(CommandError) {
    let onNotice: OutputNotice.Handler = { logger.log(level: $0.severity.level, "\($0.message)") }
    self.onNotice = onNotice
    let whenFull: RecordStream.FullPolicy = isReplay ? .wait : .dropOldest
    let hasRegionSocket = !settings.regionSockets.isEmpty || !descriptors.isEmpty
    network = hasRegionSocket || settings.metrics != nil ? NetworkLoop() : nil
    do throws(OutputError) {
      // Sockets first: one that another process holds must leave the files alone.
      if let network, hasRegionSocket {
        DescriptorLimit.raise()
        let socket = RegionSocket(loop: network, configuration: .init(settings), onNotice: onNotice)
        for descriptor in descriptors { try await socket.adopt(descriptor: descriptor) }
        for address in settings.regionSockets { try await socket.listen(on: address) }
        regionSocket = socket
      } else {
        regionSocket = nil
      }
      if let path = settings.regionLog {
        regionLog = try RegionLog(
          path: path, whenFull: whenFull, onNotice: onNotice, onEnd: { if path == "-" { onEnd($0) } })
      } else {
        regionLog = nil
      }
      locations = try LocationStream(
        format: settings.format, whenFull: whenFull, onFailure: isReplay ? .end : .retry, onNotice: onNotice,
        onEnd: onEnd)
    } catch {
      throw CommandError(error)
    }
    regions = RegionStream(log: regionLog, socket: regionSocket)
  }

  /// Serves metrics of `manager`, of what it follows and of the outputs.
  func serveMetrics(
    on address: MetricsAddress, of manager: LocationManager, source: any LocationSource
  ) async throws(CommandError) {
    guard let network else { return }
    let metrics = Metrics(of: manager, source: source)
    self.metrics = metrics
    metrics.add(locations: locations, log: regionLog, socket: regionSocket)
    let endpoint = MetricsEndpoint(loop: network, onNotice: onNotice) { [registry = metrics.registry] in registry.text()
    }
    metricsEndpoint = endpoint
    do throws(OutputError) {
      try await endpoint.listen(on: address)
    } catch {
      throw CommandError(error)
    }
  }

  /// What was written so far, in one line.
  var summary: String {
    let stream = locations.statistics
    var parts = ["\(stream.records) records to standard output, \(stream.dropped) dropped"]
    if let log = regionLog?.statistics { parts.append("\(log.records) to the region log, \(log.dropped) dropped") }
    if let socket = regionSocket?.statistics {
      parts.append("\(socket.readers) readers, \(socket.published) regions published, \(socket.dropped) dropped")
    }
    return parts.joined(separator: "; ")
  }

  /// Writes out what waits and closes everything, within a second, whoever does not read.
  func close() async {
    await metricsEndpoint?.shutdown()
    await regionSocket?.shutdown(within: Self.patience)
    locations.finish(within: Self.patience)
    regionLog?.finish(within: Self.patience)
    await network?.shutdown()
  }

  /// Releases the main actor, should a replay wait for a slow reader, once the reader had its time. From any thread.
  nonisolated func releaseWaiting() {
    DispatchQueue.global().asyncAfter(deadline: .now() + 0.4) { [locations, regionLog] in
      locations.cancel()
      regionLog?.cancel()
    }
  }
}

extension CommandError {
  init(_ error: OutputError) {
    self.init(ExitStatus(rawValue: error.exitStatus) ?? .cannotCreate, error.message)
  }
}

extension RegionSocket.Configuration {
  init(_ settings: Settings) {
    self.init()
    mode = settings.regionSocketMode
    group = settings.regionSocketGroup
    readerLimit = settings.readerLimit
  }
}

extension OutputNotice.Severity {
  /// The level that a notice is logged with.
  var level: Logger.Level {
    switch self {
    case .notice: .notice
    case .warning: .warning
    case .error: .error
    }
  }
}
