import Serving

/// An output of the daemon. It is opened before the daemon reports that it is ready, and finishes when the run ends.
@MainActor
protocol DaemonOutput: AnyObject, Sendable {
  func addMetrics(to registry: MetricsRegistry)

  var status: String? { get }

  var summary: String? { get }

  /// Reopens a file by its name on SIGHUP, for logrotate.
  func reopen()

  /// Whether it writes to a reader, a server or a client, for which it does not wait long after a signal.
  nonisolated var hasPeer: Bool { get }

  /// Whether it reads the journal, and finishes after that.
  var readsJournal: Bool { get }

  /// Writes all waiting records, however long that takes, unless `cancel` ends it.
  func finish() async

  var loss: String? { get }

  func close() async

  /// Drops the waiting records and releases the main actor, which a slow reader blocks in a replay. For any thread.
  nonisolated func cancel() async
}

extension DaemonOutput {
  func addMetrics(to registry: MetricsRegistry) {}
  var status: String? { nil }
  var summary: String? { nil }
  func reopen() {}
  nonisolated var hasPeer: Bool { true }
  var readsJournal: Bool { false }
  func finish() async {}
  var loss: String? { nil }
  func close() async {}
  nonisolated func cancel() async {}
}

/// An output of `run` and `replay`.
///
/// To add an output, add its type here and to `ReceiverFeed.outputs`.
@MainActor
protocol ReceiverOutput: DaemonOutput {
  /// Opens the output; `nil` if the settings do not ask for it.
  init?(_ outputs: Outputs, _ settings: Settings) async throws(CommandError)

  /// What the output's destination may know of the position. Nothing is withheld from outputs that stay on this host.
  static func privacy(_ settings: Settings) -> [PrivacyRule]

  /// Binds the pipeline's streams, as `privacy` lets the destination know them, to the output.
  func bind(to pipeline: PipelineView)
}

extension ReceiverOutput {
  func bind(to pipeline: PipelineView) {}
}
