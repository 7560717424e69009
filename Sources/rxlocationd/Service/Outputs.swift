import Logging
import Output

/// Everything that this process writes to, opened before it says that it is ready and closed when it ends.
@MainActor
final class Outputs {
  /// The location stream; `nil` with `--format none`.
  private(set) var locations: LocationStream?
  private(set) var regions = RegionStream()
  private(set) var network: NetworkLoop?
  private(set) var regionSocket: RegionSocket?
  private(set) var regionLog: RegionLog?
  private var standardOutput: RecordStream?

  /// How long each output gets to write out what it holds.
  private static let patience = Duration.milliseconds(400)

  private init() {}

  /// Opens what `settings` name.
  ///
  /// - Parameters:
  ///   - isReplay: Whether the source can wait for a slow reader; a live one cannot.
  ///   - descriptors: Listening sockets from the service manager, for the region socket.
  ///   - onEnd: Called when nobody reads standard output any more, or it failed.
  /// - Throws: `CommandError` for an output that cannot be opened; those that were are closed.
  static func open(
    _ settings: Settings, isReplay: Bool, descriptors: [Int32], logger: Logger,
    onEnd: @escaping @Sendable (RecordStream.End) -> Void
  ) async throws -> Outputs {
    let outputs = Outputs()
    do {
      try await outputs.open(settings, isReplay: isReplay, descriptors: descriptors, logger: logger, onEnd: onEnd)
    } catch {
      await outputs.close()
      throw CommandError(ExitStatus(rawValue: error.exitStatus) ?? .cannotCreate, error.message)
    }
    return outputs
  }

  private func open(
    _ settings: Settings, isReplay: Bool, descriptors: [Int32], logger: Logger,
    onEnd: @escaping @Sendable (RecordStream.End) -> Void
  ) async throws(OutputError) {
    let onNotice: OutputNotice.Handler = { notice in
      logger.log(level: notice.severity.level, "\(notice.message)")
    }
    let whenFull: RecordStream.FullPolicy = isReplay ? .wait : .dropOldest

    if let path = settings.regionLog, path != "-" {
      regionLog = try RegionLog(path: path, whenFull: whenFull, onNotice: onNotice)
    }
    if !settings.regionSockets.isEmpty || !descriptors.isEmpty {
      let network = NetworkLoop()
      self.network = network
      var configuration = RegionSocket.Configuration()
      configuration.mode = UInt32(settings.regionSocketMode)
      configuration.group = settings.regionSocketGroup
      configuration.readerLimit = settings.readerLimit
      let socket = RegionSocket(loop: network, configuration: configuration, onNotice: onNotice)
      regionSocket = socket
      for descriptor in descriptors { try await socket.adopt(descriptor: descriptor) }
      for address in settings.regionSockets { try await socket.listen(on: address) }
    }
    if settings.format != .none || settings.regionLog == "-" {
      let stream = try RecordStream(
        standardOutputFor: settings.format, whenFull: whenFull, onNotice: onNotice, onEnd: onEnd)
      standardOutput = stream
      if let formatter = settings.format.formatter {
        locations = LocationStream(to: stream, formatter: formatter)
      }
    }
    regions = RegionStream(
      log: regionLog, socket: regionSocket, standardOutput: settings.regionLog == "-" ? standardOutput : nil)
  }

  /// Writes out what is waiting and closes everything; takes no longer than a second, whoever does not read.
  func close() async {
    locations?.writeEnd()
    await regionSocket?.shutdown(within: Self.patience)
    standardOutput?.finish(within: Self.patience)
    regionLog?.finish(within: Self.patience)
    await network?.shutdown()
  }

  /// Lets go of whoever waits for a slow reader.
  nonisolated func release() {
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
