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
  private let manager = ServiceManager()
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
    let mapConfiguration =
      settings.map.address == nil
      ? nil : try settings.map.configuration(source: name, kind: isReplay ? .replay : .gpsd)
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    let outputs = try await Outputs(
      settings, isReplay: isReplay, descriptors: ListenDescriptors.take(), logger: logger,
      onEnd: { end.yield() })
    let pipeline = Pipeline(
      source: source, settings: settings, locations: outputs.locations, regions: outputs.regions,
      journal: outputs.journal)
    pipeline.locationManager.rx.didReachEndOfRecording
      .subscribe(onNext: { end.yield() })
      .disposed(by: bag)
    pipeline.locationManager.rx.monitoringDidFail
      .subscribe(onNext: { [logger] in logger.warning("\($0.error.message)") })
      .disposed(by: bag)
    if let address = settings.outputs.metrics {
      do throws(CommandError) {
        try await outputs.serveMetrics(on: address, of: pipeline, source: source)
      } catch {
        _ = await outputs.finish()
        throw error
      }
    }
    if let address = settings.map.address, let network = outputs.network, let configuration = mapConfiguration {
      let page = MapPage(on: network, configuration)
      pipeline.show(on: page)
      // A recording that is played again is no later than itself.
      if let path = settings.outputs.journal, !isReplay {
        JournalTrail.show(on: page, fromJournal: path) { [logger] in logger.warning("map page: no trail: \($0)") }
      }
      do throws(CommandError) {
        try await outputs.serve(page, on: address, names: settings.map.names)
      } catch {
        _ = await outputs.finish()
        throw error
      }
    }
    let reporter = StatusReporter(pipeline, source: source, name: name, publishing: outputs.publishing)
    let watchdog = Watchdog(manager, network: outputs.network)
    let signals = Task(executorPreference: BackgroundExecutor.shared) {
      await self.handleSignals(pipeline, outputs, reporter)
    }

    ProgramPages.release()
    pipeline.start()
    manager.ready()
    if manager.isPresent { reporter.report(to: manager) }
    let losses = await withGracefulShutdownHandler {
      for await _ in ends { break }
      manager.stopping()
      signals.cancel()
      pipeline.stop()
      return await outputs.finish()
    } onGracefulShutdown: {
      end.yield()
      outputs.beginShutdownDeadline()
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
    manager.reloading()
    defer { manager.ready() }
    outputs.regionLog?.reopen()
    do throws(CommandError) {
      let (settings, changed) = try await reloadSettings()
      pipeline.apply(settings)
      outputs.publishing?.setFences(settings.watch.fences)
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
