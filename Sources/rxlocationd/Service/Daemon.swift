import Dispatch
import Logging
import Platform
import Rx
import SystemPackage
import UnixSignals

/// One run from start to end, shared by `run`, `replay` and `collect`: the feed runs until the run ends, and then the
/// outputs finish.
@MainActor
final class Daemon {
  private let feed: any Feed
  private let outputs: Outputs
  private let logger: Logger
  /// The version, the settings file and the source, for the line at the start.
  private let origin: String
  private let serviceManager = ServiceManager()
  /// A run ends with a signal, with the recording, or when an output accepts no more records.
  private let (ends, end) = AsyncStream<Void>.makeStream()
  /// Finished when the feed has handed over all records.
  private let (stops, stopped) = AsyncStream<Never>.makeStream()
  private var failure: CommandError?
  private var reported: String?
  private let bag = DisposeBag()

  /// `isReplay` says whether the feed can wait for slow readers. The argument of `feed` ends the run.
  init(
    name: String, isReplay: Bool, file: FilePath?, logger: Logger,
    feed: (_ end: @escaping @Sendable () -> Void) -> any Feed
  ) {
    origin = "version \(RxLocationD.version); \(file.map { "settings of \($0)" } ?? "no settings file"); source \(name)"
    outputs = Outputs(name: name, isReplay: isReplay, logger: logger, onEnd: { [end] in end.yield() })
    self.feed = feed { [end] in end.yield() }
    self.logger = logger
  }

  /// Runs until the end of the recording, or until SIGTERM or SIGINT.
  func runUntilSignalled() async throws {
    // Signals are caught from here on, so that every open output is also finished.
    let terminations = await UnixSignalsSequence(trapping: .sigterm, .sigint)
    do throws(CommandError) {
      try await feed.open(outputs)
      try ThreadLimit.check(ThreadLimit.reserve)
    } catch {
      await outputs.discard()
      throw error
    }
    outputs.addMetrics()
    let places = outputs.places.isEmpty ? "no output" : outputs.places.joined(separator: "; ")
    logger.info("\(origin); \(places)")
    let watchdog = Watchdog(serviceManager, network: outputs.network)
    ProgramPages.release()

    await withTaskGroup { tasks in
      tasks.addTask { await self.handleSignals() }
      tasks.addTask { [end, stops, opened = outputs.opened, isReplay = outputs.isReplay] in
        for await _ in terminations {
          end.yield()
          // The outputs get some more time, then they are cancelled, which releases the main actor if a slow reader
          // blocks a replay. A live feed first hands over its received records. A file has no reader.
          if !isReplay { for await _ in stops {} }
          guard (try? await Task.sleep(for: Outputs.patience)) != nil else { return }
          for output in opened where output.hasPeer { await output.cancel() }
          guard (try? await Task.sleep(for: Outputs.diskPatience)) != nil else { return }
          for output in opened { await output.cancel() }
        }
      }
      await run()
      await outputs.finish()
      tasks.cancelAll()
    }
    await outputs.close()
    withExtendedLifetime(watchdog) {}
    let losses = outputs.losses + (feed.loss.map { [$0] } ?? [])
    for loss in losses { logger.error("\(loss)") }
    if let failure { throw failure }
    if !losses.isEmpty { throw ExitStatus.ioError.code }
  }

  private func run() async {
    let start = Task {
      do throws(CommandError) {
        try await feed.start { self.reportReady() }
      } catch {
        failure = error
        end.yield()
      }
    }
    for await _ in ends { break }
    start.cancel()
    await start.value
    serviceManager.stopping()
    await feed.stop()
    stopped.finish()
  }

  /// Tells the service manager that the daemon is ready, then its status at most once a second.
  private func reportReady() {
    serviceManager.ready()
    guard serviceManager.isPresent, reported == nil else { return }
    reportStatus()
    feed.statusChanges
      .throttle(.seconds(1), scheduler: MainScheduler.instance)
      .bind(to: Binder(self) { daemon, _ in daemon.reportStatus() })
      .disposed(by: bag)
  }

  private func reportStatus() {
    let status = status
    guard status != reported else { return }
    reported = status
    serviceManager.status(status)
  }

  private var status: String { ([feed.status] + outputs.statuses).joined(separator: "; ") }

  /// SIGHUP reads the settings again and reopens the region log; SIGUSR1 prints the state.
  private func handleSignals() async {
    let signals = await UnixSignalsSequence(trapping: .sighup, .sigusr1)
    if EarlySignals.receivedHangup() { await reload() }
    for await signal in signals {
      if signal == .sigusr1 {
        logger.notice("\([status, feed.summary, outputs.summary].compactMap { $0 }.joined(separator: "; "))")
      } else {
        await reload()
      }
    }
  }

  private func reload() async {
    serviceManager.reloading()
    defer { serviceManager.ready() }
    outputs.reopen()
    do throws(CommandError) {
      let fixed = try await feed.reload().sorted()
      if !fixed.isEmpty {
        logger.warning("\(fixed.joined(separator: ", ")): changed in the file; restart the daemon to apply the change")
      }
      logger.notice("reloaded")
    } catch {
      logger.error("\(error.message); the settings are unchanged")
    }
  }
}

/// The input of a run: one receiver, or the devices of a broker.
@MainActor
protocol Feed: AnyObject {
  func open(_ outputs: Outputs) async throws(CommandError)

  /// Starts following; the end of the run cancels the task. `ready` may be called more than once.
  func start(ready: () -> Void) async throws(CommandError)

  func stop() async

  /// The state, for `systemctl status` and SIGUSR1.
  var status: String { get }

  /// Sends an element when the state may have changed.
  var statusChanges: Observable<Void> { get }

  /// The counts of received records, for SIGUSR1; `nil` when the outputs' counts are enough.
  var summary: String? { get }

  /// Records that the feed itself has lost, in one sentence, once it has stopped.
  var loss: String? { get }

  /// Reads and applies the settings again, on SIGHUP; returns the names of changed settings that require a restart.
  func reload() async throws(CommandError) -> Set<String>
}
