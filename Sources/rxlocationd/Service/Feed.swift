import Rx

/// The input of a run: one receiver, or the devices of a broker.
@MainActor
protocol Feed: AnyObject {
  /// Opens the configured outputs and binds them to their streams.
  func open(_ outputs: Outputs) async throws(CommandError)

  /// Starts following. The run may end meanwhile, which cancels the task.
  ///
  /// - Parameter ready: Tells the service manager that the daemon is ready. May be called more than once.
  func start(ready: () -> Void) async throws(CommandError)

  /// Stops receiving, and hands over the received records.
  func stop() async

  /// The state, for `systemctl status` and SIGUSR1.
  var status: String { get }

  /// Sends an element when the state may have changed.
  var statusChanges: Observable<Void> { get }

  /// The counts of received records, for SIGUSR1; `nil` when the outputs' counts are enough.
  var summary: String? { get }

  /// Records that the feed itself has lost, in one sentence, once it has stopped.
  var loss: String? { get }

  /// Reads and applies the settings again, on SIGHUP.
  ///
  /// - Returns: The names of changed settings that require a restart.
  func reload(_ outputs: Outputs) async throws(CommandError) -> Set<String>
}
