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

/// One run of the pipeline from start to end: what `run` and `replay` have in common.
@MainActor
final class Daemon: Service {
  /// Reads the settings again; `changed` names those that differ from the start's.
  typealias Reading = @MainActor () async throws(CommandError) -> (settings: Settings, changed: Set<String>)

  private let source: any LocationSource
  private let name: String
  private let settings: Settings
  private let isReplay: Bool
  private let logger: Logger
  private let reloadSettings: Reading
  private let serviceManager = ServiceManager()
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
    self.source = source
    self.name = name
    self.settings = settings
    self.isReplay = isReplay
    self.logger = logger
    self.reloadSettings = reloadSettings
  }

  /// Runs until the end of the recording, or until SIGTERM or SIGINT.
  func runUntilSignalled() async throws {
    let group = ServiceGroup(
      configuration: ServiceGroupConfiguration(
        services: [.init(service: self, successTerminationBehavior: .gracefullyShutdownGroup)],
        gracefulShutdownSignals: [.sigterm, .sigint],
        // The group's own lines are about its inner workings.
        logger: Logger(label: "lifecycle") { _ in SwiftLogNoOpLogHandler() }))
    try await group.run()
  }

  func run() async throws {
    // A run ends with a signal, with the recording, or when an output takes nothing any more.
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    let outputs = Outputs(
      settings, name: name, isReplay: isReplay, logger: logger, onEnd: { end.yield() })
    try await outputs.open()
    let pipeline = Pipeline(source: source, settings: settings)
    outputs.bind(to: pipeline)
    let rx = pipeline.locationManager.rx
    rx.didReachEndOfRecording.subscribe(onNext: { end.yield() }).disposed(by: bag)
    rx.monitoringDidFail
      .subscribe(onNext: { [logger] in logger.warning("\($0.error.message)") })
      .disposed(by: bag)
    let reporter = StatusReporter(pipeline, outputs)
    let watchdog = Watchdog(serviceManager, network: outputs.network)

    ProgramPages.release()
    let losses = await withTaskGroup { [opened = outputs.opened] group in
      group.addTask { await self.handleSignals(pipeline, outputs, reporter) }
      group.addTask {
        guard (try? await gracefulShutdown()) != nil else { return }
        end.yield()
        // The outputs get a moment more. A replay holds up the main actor while a reader is slow; this releases it.
        guard (try? await Task.sleep(for: Outputs.patience)) != nil else { return }
        for output in opened { await output.cancel() }
      }
      pipeline.start(knowing: outputs.output(JournalOutput.self)?.fences ?? [])
      serviceManager.ready()
      if serviceManager.isPresent { reporter.report(to: serviceManager) }
      for await _ in ends { break }
      serviceManager.stopping()
      pipeline.stop()
      let losses = await outputs.finish()
      group.cancelAll()
      return losses
    }
    withExtendedLifetime(watchdog) {}
    for loss in losses { logger.error("\(loss)") }
    if !losses.isEmpty { throw ExitStatus.ioError.code }
  }

  /// SIGHUP reads the settings again and reopens the region log; SIGUSR1 prints the state.
  private func handleSignals(_ pipeline: Pipeline, _ outputs: Outputs, _ reporter: StatusReporter) async {
    let signals = await UnixSignalsSequence(trapping: .sighup, .sigusr1)
    if EarlySignals.takeHangup() { await reload(pipeline, outputs) }
    for await signal in signals {
      if signal == .sigusr1 {
        logger.notice("\(reporter.line); \(outputs.summary)")
      } else {
        await reload(pipeline, outputs)
      }
    }
  }

  private func reload(_ pipeline: Pipeline, _ outputs: Outputs) async {
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
