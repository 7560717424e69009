import Glibc
import LocationKit
import Logging
import MapPage
import Output
import Platform
import Rx
import RxLocation
import ServiceLifecycle
import UnixSignals

/// One run of the pipeline from start to end: what `run` and `replay` have in common. As a service it is the source, which
/// is followed until the run ends; the outputs are services, too, and finish after it.
@MainActor
final class Daemon: Service {
  /// Reads the settings again; `changed` names those that differ from the start's.
  typealias Reading = @MainActor () async throws(CommandError) -> (settings: Settings, changed: Set<String>)

  private let pipeline: Pipeline
  private let outputs: Outputs
  private let reporter: StatusReporter
  private let logger: Logger
  private let reloadSettings: Reading
  private let serviceManager = ServiceManager()
  /// A run ends with a signal, with the recording, or when an output takes nothing any more.
  private let ends: AsyncStream<Void>
  private let end: AsyncStream<Void>.Continuation
  private let bag = DisposeBag()

  /// Creates a run.
  ///
  /// - Parameters:
  ///   - source: What to follow.
  ///   - name: What a person calls it: an address, or the recordings.
  ///   - isReplay: Whether the source can wait for slow readers.
  ///   - reloadSettings: Reads the settings again, for SIGHUP.
  init(
    source: any LocationSource, name: String, settings: Settings, isReplay: Bool, logger: Logger,
    reloadSettings: @escaping Reading
  ) {
    (ends, end) = AsyncStream.makeStream()
    outputs = Outputs(settings, name: name, isReplay: isReplay, logger: logger, onEnd: { [end] in end.yield() })
    pipeline = Pipeline(source: source, settings: settings)
    reporter = StatusReporter(pipeline, outputs)
    self.logger = logger
    self.reloadSettings = reloadSettings
  }

  /// Runs until the end of the recording, or until SIGTERM or SIGINT.
  func runUntilSignalled() async throws {
    // Heard from here on, so that what is opened is finished in any case.
    let terminations = await UnixSignalsSequence(trapping: .sigterm, .sigint)
    try await outputs.open()
    outputs.bind(to: pipeline)
    let rx = pipeline.locationManager.rx
    rx.didReachEndOfRecording.subscribe(onNext: { [end] in end.yield() }).disposed(by: bag)
    rx.monitoringDidFail
      .subscribe(onNext: { [logger] in logger.warning("\($0.error.message)") })
      .disposed(by: bag)
    let watchdog = Watchdog(serviceManager, network: outputs.network)
    ProgramPages.release()

    // A group ends its services from the last to the first: the source, then the outputs in the order of their opening.
    let group = ServiceGroup(
      configuration: ServiceGroupConfiguration(
        services: outputs.opened.reversed().map { .init(service: $0) }
          + [.init(service: self, successTerminationBehavior: .gracefullyShutdownGroup)],
        // The group's own lines are about its inner workings.
        logger: Logger(label: "lifecycle") { _ in SwiftLogNoOpLogHandler() }))
    try await withThrowingTaskGroup { tasks in
      tasks.addTask { await self.handleSignals() }
      tasks.addTask { [end, opened = outputs.opened] in
        for await _ in terminations {
          end.yield()
          // The outputs get a moment more. A replay holds up the main actor while a reader is slow; this releases it.
          guard (try? await Task.sleep(for: Outputs.patience)) != nil else { return }
          for output in opened { await output.cancel() }
        }
      }
      try await group.run()
      tasks.cancelAll()
    }
    await outputs.close()
    withExtendedLifetime(watchdog) {}
    for loss in outputs.losses { logger.error("\(loss)") }
    if !outputs.losses.isEmpty { throw ExitStatus.ioError.code }
  }

  /// Follows the source until the run ends.
  func run() async {
    pipeline.start(knowing: outputs.output(JournalOutput.self)?.fences ?? [])
    serviceManager.ready()
    if serviceManager.isPresent { reporter.report(to: serviceManager) }
    for await _ in ends { break }
    serviceManager.stopping()
    pipeline.stop()
  }

  /// SIGHUP reads the settings again and reopens the region log; SIGUSR1 prints the state.
  private func handleSignals() async {
    let signals = await UnixSignalsSequence(trapping: .sighup, .sigusr1)
    if EarlySignals.takeHangup() { await reload() }
    for await signal in signals {
      if signal == .sigusr1 {
        logger.notice("\(reporter.line); \(outputs.summary)")
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
      let (settings, changed) = try await reloadSettings()
      pipeline.apply(settings)
      outputs.reload(settings)
      let fixed = changed.subtracting(Settings.reloadable).sorted()
      if !fixed.isEmpty {
        logger.warning("\(fixed.joined(separator: ", ")): changed in the file; restart the daemon for that to count")
      }
      logger.notice("reloaded")
    } catch {
      logger.error("\(error.message); the settings stay as they were")
    }
  }
}
