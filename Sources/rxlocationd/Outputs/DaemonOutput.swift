import HTTP
import ServiceLifecycle

/// An output of the daemon. It is opened before the daemon says that it is ready, and finished when the run ends: as a
/// service it waits until its turn to finish has come.
@MainActor
protocol DaemonOutput: AnyObject, Service {
  /// Adds what the output has done to what `--metrics` serves.
  func addMetrics(to registry: MetricsRegistry)

  /// The state, for the service manager's status line.
  var status: String? { get }

  /// What was done so far, for SIGUSR1.
  var summary: String? { get }

  /// Closes a file and opens it again by its name, for logrotate, on SIGHUP.
  func reopen()

  /// Writes what waits, however long that takes, unless `cancel` ends it.
  func finish() async

  /// What was lost, in one sentence, once the output has finished.
  var loss: String? { get }

  /// Closes what clients may still read while outputs finish.
  func close() async

  /// Drops what waits, and releases the main actor, which a replay holds up while a reader is slow. From any thread.
  nonisolated func cancel() async
}

extension DaemonOutput {
  func addMetrics(to registry: MetricsRegistry) {}
  var status: String? { nil }
  var summary: String? { nil }
  func reopen() {}
  func finish() async {}
  var loss: String? { nil }
  func close() async {}
  nonisolated func cancel() async {}

  func run() async {
    try? await gracefulShutdown()
    await finish()
  }
}

/// An output of `run` and `replay`.
///
/// A new output is a type here and its name in `ReceiverFeed.outputs`.
@MainActor
protocol ReceiverOutput: DaemonOutput {
  /// Opens the output if the settings ask for it, and `nil` otherwise.
  ///
  /// - Parameter outputs: What was opened before.
  /// - Throws: `CommandError`. What was opened before is closed again then.
  static func open(_ outputs: Outputs, _ settings: Settings) async throws(CommandError) -> Self?

  /// Takes what the pipeline has from now on.
  func bind(to pipeline: Pipeline)

  /// Takes over settings that were read again, on SIGHUP.
  func reload(_ settings: Settings)
}

extension ReceiverOutput {
  func bind(to pipeline: Pipeline) {}
  func reload(_ settings: Settings) {}
}
