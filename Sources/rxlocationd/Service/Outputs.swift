import RegionSockets
import Dispatch
import HTTP
import Journal
import LocationKit
import Logging
import MapPage
import Output
import Sockets

/// Everything that this process writes to: opened before it says that it is ready, closed when it ends.
@MainActor
final class Outputs {
  let locations: LocationStream
  let regions: RegionStream
  let regionLog: RegionLog?
  let regionSocket: RegionSocket?
  let journal: JournalWriter?
  let publishing: JournalPublishing?
  let network: NetworkLoop?
  private var metrics: Metrics?
  private var servers: [HTTPServer] = []
  private let isReplay: Bool
  private let onNotice: OutputNotice.Handler

  /// How many bytes wait for a slow reader of a replay, which is held up then, and loses nothing.
  private static let replayLimit = 256 << 10

  /// How long the outputs get, after SIGTERM or SIGINT, to write what they hold.
  nonisolated private static let patience = Duration.milliseconds(400)

  /// Opens what `settings` name, except the metrics.
  ///
  /// - Parameters:
  ///   - isReplay: Whether the source can wait for a slow reader; a live one cannot.
  ///   - descriptors: Listening sockets from the service manager, for the region socket.
  ///   - onEnd: Called when nobody reads an output any more, or when an output of a replay failed.
  /// - Throws: `CommandError` for an output that cannot be opened.
  init(
    _ settings: Settings, isReplay: Bool, descriptors: [Int32], logger: Logger,
    onEnd: @escaping @Sendable () -> Void
  ) async throws(CommandError) {
    let onNotice: OutputNotice.Handler = { logger.log(level: $0.severity.level, "\($0.message)") }
    self.onNotice = onNotice
    self.isReplay = isReplay
    let mode: OutboxMode = isReplay ? .replay : .live
    let hasRegionSocket = !settings.sockets.addresses.isEmpty || !descriptors.isEmpty
    network = hasRegionSocket || settings.outputs.metrics != nil || settings.map.address != nil ? NetworkLoop() : nil
    var opened: (socket: RegionSocket?, journal: JournalWriter?)
    do throws(OutputError) {
      // Sockets first: one that another process holds must leave the files alone.
      if let network, hasRegionSocket {
        DescriptorLimit.raise()
        let socket = RegionSocket(loop: network, configuration: .init(settings), onNotice: onNotice)
        opened.socket = socket
        for descriptor in descriptors { try await socket.adopt(descriptor: descriptor) }
        for address in settings.sockets.addresses { try await socket.listen(on: address) }
      }
      if settings.outputs.journal != nil || settings.publishing.broker != nil {
        let journal = try JournalWriter.opened(
          settings.outputs.journal, limit: settings.journalLimit, isReplay: isReplay, onNotice: onNotice, onEnd: onEnd)
        opened.journal = journal
        self.journal = journal
      } else {
        journal = nil
      }
      if let path = settings.outputs.regionLog {
        regionLog = try RegionLog(
          path: path, mode: mode, limit: isReplay ? Self.replayLimit : 1 << 20, onNotice: onNotice
        ) { _ in onEnd() }
      } else {
        regionLog = nil
      }
      locations = try LocationStream(
        format: settings.format, mode: mode, limit: isReplay ? Self.replayLimit : 4 << 20, onNotice: onNotice
      ) { _ in onEnd() }
      let configuration = isReplay ? settings.publishing.replayConfiguration : settings.publishing.configuration
      if let configuration, let journal {
        publishing = try JournalPublishing(
          configuration, of: journal, isTemporary: settings.outputs.journal == nil, fences: settings.watch.fences,
          onNotice: onNotice)
      } else {
        publishing = nil
      }
    } catch {
      // The file of a socket that was opened before the failure is removed.
      await opened.socket?.shutdown(within: .zero)
      await opened.journal?.finish()
      await network?.shutdown()
      throw CommandError(error)
    }
    regionSocket = opened.socket
    regions = RegionStream(log: regionLog, socket: opened.socket)
  }

  /// Serves metrics of `pipeline`, of what it follows and of the outputs.
  func serveMetrics(
    on address: TCPAddress, of pipeline: Pipeline, source: any LocationSource
  ) async throws(CommandError) {
    guard let network else { return }
    let metrics = Metrics(of: pipeline, source: source)
    self.metrics = metrics
    metrics.add(locations: locations, log: regionLog, socket: regionSocket)
    if let journal { metrics.add(journal) }
    if let publishing { metrics.add(publishing) }
    let server = HTTPServer(
      on: network,
      routes: [
        "/metrics": .answer { [registry = metrics.registry] _ in
          HTTPResponse(contentType: "text/plain; version=0.0.4; charset=utf-8", text: registry.text())
        }
      ]
    ) { [onNotice] name, event in
      onNotice(OutputNotice(event.isProblem ? .warning : .notice, "\(name) \(event)"))
    }
    servers.append(server)
    let name = "metrics endpoint \(address)"
    do throws(ListenError) {
      try await server.listen(on: address, name: name)
    } catch {
      throw CommandError(.cannotCreate, "\(name) \(error)")
    }
  }

  /// Serves `page`.
  func serve(_ page: MapPage, on address: TCPAddress, names: [String]) async throws(CommandError) {
    guard let network else { return }
    servers.append(try await page.serve(on: network, at: address, names: names, onNotice: onNotice))
  }

  /// What was written so far, in one line.
  var summary: String {
    let stream = locations.statistics
    var parts = ["\(stream.records) records to standard output, \(stream.dropped) dropped"]
    if let rows = journal?.statistics { parts.append("\(rows.rows) to the journal, \(rows.dropped) dropped") }
    if let publishing { parts.append(publishing.summary) }
    if let log = regionLog?.statistics { parts.append("\(log.records) to the region log, \(log.dropped) dropped") }
    if let socket = regionSocket?.statistics {
      parts.append("\(socket.readers) readers, \(socket.published) regions published, \(socket.dropped) dropped")
    }
    return parts.joined(separator: "; ")
  }

  /// Writes out what waits, however long the readers take, and closes everything. `beginShutdownDeadline` ends the waiting.
  ///
  /// - Returns: What was lost, in one sentence for each output that did not write all of its records.
  func finish() async -> [String] {
    await regionSocket?.shutdown(within: nil)
    var losses: [String] = []
    if let loss = Self.loss("standard output", await locations.finish(), locations.statistics) { losses.append(loss) }
    if let log = regionLog, let loss = Self.loss(log.name, await log.finish(), log.statistics) { losses.append(loss) }
    if let journal, let loss = Self.loss(await journal.finish(), of: journal) { losses.append(loss) }
    if let publishing, let loss = await publishing.finish(within: isReplay ? nil : Self.patience) {
      losses.append(loss)
    }
    for server in servers { await server.shutdown() }
    await network?.shutdown()
    return losses
  }

  private static func loss(_ name: String, _ end: RecordStream.End, _ statistics: OutboxStatistics) -> String? {
    let count = "\(statistics.dropped) of \(statistics.records) records were not written"
    switch end {
    case .failed(let error): return "\(name) cannot be written: \(error); \(count)"
    case .cancelled where statistics.dropped > 0:
      return "\(name): \(count), because its reader did not take them within \(patience) of the signal"
    case .finished where statistics.dropped > 0:
      return "\(name): \(count), because it was too slow or failed for a while"
    // Whoever stops reading wants no more, as `head` does.
    case .finished, .cancelled, .readerGone: return nil
    }
  }

  private static func loss(_ end: JournalWriter.End, of journal: JournalWriter) -> String? {
    let statistics = journal.statistics
    let count = "\(statistics.dropped) of \(statistics.rows + statistics.dropped) records were not kept"
    return switch end {
    case .failed(let error): statistics.dropped > 0 ? "\(error.message); \(count)" : error.message
    case .finished where statistics.dropped > 0:
      "journal \(journal.path): \(count), because it was too slow or failed for a while"
    case .finished, .cancelled, .readerGone: nil
    }
  }

  /// Gives the outputs a moment more to write what they hold; then what waits is dropped, and the main actor released,
  /// which a replay holds up while a reader is slow. From any thread.
  nonisolated func beginShutdownDeadline() {
    let (seconds, attoseconds) = Self.patience.components
    let deadline = DispatchTime.now() + Double(seconds) + Double(attoseconds) * 1e-18
    DispatchQueue.global().asyncAfter(deadline: deadline) { [locations, journal, publishing, regionLog, regionSocket] in
      Task(executorPreference: BackgroundExecutor.shared) {
        await regionSocket?.shutdown(within: .zero)
        locations.cancel()
        regionLog?.cancel()
        journal?.cancel()
        publishing?.stop()
      }
    }
  }
}

extension CommandError {
  init(_ error: OutputError) {
    let status: ExitStatus =
      switch error.code {
      case .usage: .usage
      case .cannotCreate: .cannotCreate
      case .inputOutput: .ioError
      }
    self.init(status, error.message)
  }
}

extension JournalWriter {
  /// Opens the journal that a person has named, or a temporary one, which only the publisher reads.
  fileprivate static func opened(
    _ path: String?, limit: Int, isReplay: Bool, onNotice: @escaping OutputNotice.Handler,
    onEnd: @escaping @Sendable () -> Void
  ) throws(OutputError) -> JournalWriter {
    let mode: OutboxMode = isReplay ? .replay : .live
    do throws(JournalError) {
      if let path {
        return try JournalWriter(path: path, limit: limit, mode: mode, onNotice: onNotice, onEnd: { _ in onEnd() })
      }
      onNotice(
        OutputNotice(.notice, "there is no journal, so what the broker has not taken when this ends is lost"))
      return try temporary(limit: limit, mode: mode, onNotice: onNotice, onEnd: { _ in onEnd() })
    } catch {
      throw OutputError(.cannotCreate, error.message)
    }
  }
}

extension RegionSocket.Configuration {
  init(_ settings: Settings) {
    self.init()
    mode = settings.sockets.mode ?? mode
    group = settings.sockets.group
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
