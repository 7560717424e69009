import Dispatch
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

  /// How long each output gets to write out what it holds.
  private static let patience = Duration.milliseconds(400)

  /// Opens what `settings` name.
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
    let whenFull: RecordStream.FullPolicy = isReplay ? .wait : .dropOldest
    do {
      // Sockets first: they are what another process may hold, and a taken one must leave the files alone.
      if settings.regionSockets.isEmpty && descriptors.isEmpty {
        network = nil
        regionSocket = nil
      } else {
        let network = NetworkLoop()
        self.network = network
        let socket = RegionSocket(loop: network, configuration: .init(settings), onNotice: onNotice)
        for descriptor in descriptors { try await socket.adopt(descriptor: descriptor) }
        for address in settings.regionSockets { try await socket.listen(on: address) }
        regionSocket = socket
      }
      regionLog = try settings.regionLog.map { (path) throws(OutputError) in
        try RegionLog(
          path: path, whenFull: whenFull, onNotice: onNotice, onEnd: { if path == "-" { onEnd($0) } })
      }
      locations = try LocationStream(
        format: settings.format, whenFull: whenFull, onNotice: onNotice, onEnd: onEnd)
    } catch {
      throw CommandError(ExitStatus(rawValue: error.exitStatus) ?? .cannotCreate, error.message)
    }
    regions = RegionStream(log: regionLog, socket: regionSocket)
  }

  /// Writes out what waits and closes everything, within a second, whoever does not read.
  func close() async {
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
