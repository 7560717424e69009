import HTTP
import ServiceLifecycle

/// Something that the daemon writes to. It is opened before the daemon says that it is ready, bound to the pipeline, and
/// finished when the run ends: as a service it waits until its turn to finish has come.
///
/// A new output is a type here and its name in `Outputs.kinds`.
@MainActor
protocol DaemonOutput: AnyObject, Service {
  /// Opens the output if the settings ask for it, and `nil` otherwise.
  ///
  /// - Parameter outputs: The settings, and what was opened before.
  /// - Throws: `CommandError`. What was opened before is closed again then.
  static func open(_ outputs: Outputs) async throws(CommandError) -> Self?

  /// Takes what the pipeline has from now on.
  func bind(to pipeline: Pipeline)

  /// Adds what the output has done to what `--metrics` serves.
  func addMetrics(to registry: MetricsRegistry)

  /// How things stand, for the service manager's status line.
  var status: String? { get }

  /// What was done so far, for SIGUSR1.
  var summary: String? { get }

  /// Closes a file and opens it again by its name, for logrotate, on SIGHUP.
  func reopen()

  /// Takes over settings that were read again, on SIGHUP.
  func reload(_ settings: Settings)

  /// Writes what waits, however long that takes, unless `cancel` ends it.
  func finish() async

  /// What was lost, in one sentence, once the output has finished.
  var loss: String? { get }

  /// Closes what others may still look at while outputs finish.
  func close() async

  /// Drops what waits, and releases the main actor, which a replay holds up while a reader is slow. From any thread.
  nonisolated func cancel() async
}

extension DaemonOutput {
  func bind(to pipeline: Pipeline) {}
  func addMetrics(to registry: MetricsRegistry) {}
  var status: String? { nil }
  var summary: String? { nil }
  func reopen() {}
  func reload(_ settings: Settings) {}
  func finish() async {}
  var loss: String? { nil }
  func close() async {}
  nonisolated func cancel() async {}

  func run() async {
    try? await gracefulShutdown()
    await finish()
  }
}
