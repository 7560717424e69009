import Rx

/// What a run follows: one receiver, or the devices of a broker.
@MainActor
protocol Feed: AnyObject {
  /// Opens the outputs that the settings ask for and binds them to what they write.
  func open(_ outputs: Outputs) async throws(CommandError)

  /// Begins to follow. The run may end meanwhile, which cancels the task.
  ///
  /// - Parameter ready: Tells the service manager that the daemon is up. May be called more than once.
  func start(ready: () -> Void) async throws(CommandError)

  /// Takes nothing more, and hands over what was received.
  func stop() async

  /// The state, for `systemctl status` and SIGUSR1.
  var status: String { get }

  /// Sends whenever the state may have changed.
  var statusChanges: Observable<Void> { get }

  /// What was received so far, for SIGUSR1; `nil` when the outputs say enough.
  var summary: String? { get }

  /// Records that the feed itself has lost, in one sentence, once it has stopped.
  var loss: String? { get }

  /// Reads the settings again and takes them over, on SIGHUP.
  ///
  /// - Returns: The names of changed settings that only a restart applies.
  func reload(_ outputs: Outputs) async throws(CommandError) -> Set<String>
}
