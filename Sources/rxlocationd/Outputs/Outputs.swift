import Logging
import Output
import Sockets

/// Everything that this process writes to.
@MainActor
final class Outputs {
  /// What a person calls what the daemon follows.
  let name: String
  /// Whether the source can wait for a slow reader; a live one cannot.
  let isReplay: Bool
  /// Takes messages for the administrator. Any thread.
  let onNotice: OutputNotice.Handler
  /// Ends the run: the reader of an output has left, or an output of a replay failed. Any thread.
  let onEnd: @Sendable () -> Void

  /// The outputs that are open.
  private(set) var opened: [any DaemonOutput] = []
  /// The loop of all sockets; `nil` as long as no output has asked for one.
  private(set) var network: NetworkLoop?

  /// How many bytes wait for a slow reader of a replay, which is held up then, and loses nothing.
  static let replayLimit = 256 << 10

  /// How long the outputs get, after SIGTERM or SIGINT, to write what they hold.
  nonisolated static let patience = Duration.milliseconds(400)

  init(name: String, isReplay: Bool, logger: Logger, onEnd: @escaping @Sendable () -> Void) {
    self.name = name
    self.isReplay = isReplay
    onNotice = { logger.log(level: $0.severity.level, "\($0.message)") }
    self.onEnd = onEnd
  }

  /// Adds an output that was opened.
  func add(_ output: any DaemonOutput) { opened.append(output) }

  /// Closes what was opened before an output could not be.
  func discard() async {
    for output in opened {
      await output.cancel()
      await output.finish()
    }
    await close()
  }

  /// The loop of all sockets, which is started for the first that asks.
  func networkLoop() throws(CommandError) -> NetworkLoop {
    if let network { return network }
    let loop = try NetworkLoop.start()
    network = loop
    return loop
  }

  /// The output of that type, if it is open.
  func output<Output: DaemonOutput>(_ kind: Output.Type) -> Output? {
    opened.lazy.compactMap { $0 as? Output }.first
  }

  /// What happens when a reader is slow or writing fails.
  var mode: OutboxMode { isReplay ? .replay : .live }

  /// Adds what each output has done to the metrics.
  func addMetrics() {
    guard let metrics = output(MetricsOutput.self) else { return }
    for output in opened { output.addMetrics(to: metrics.registry) }
  }

  /// Opens files again by their names.
  func reopen() {
    for output in opened { output.reopen() }
  }

  /// The states that a status line shows.
  var statuses: [String] { opened.compactMap(\.status) }

  /// What was written so far, in one line.
  var summary: String { opened.compactMap(\.summary).joined(separator: "; ") }

  /// What was lost, in one sentence for each output that has finished and did not write all of its records.
  var losses: [String] { opened.compactMap(\.loss) }

  /// Closes what others could look at while outputs finished. Call it when all have.
  func close() async {
    for output in opened { await output.close() }
    await network?.shutdown()
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
