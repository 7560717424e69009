import Glibc
import LocationKit
import Logging
import Output
import Rx
import RxLocation
import ServiceLifecycle
import UnixSignals

/// One run of the pipeline from start to end: what `run` and `replay` have in common.
@MainActor
final class Daemon: Service {
  /// Why a run ended.
  enum End: Sendable {
    /// SIGTERM or SIGINT.
    case signal
    /// The recording's last fix has been delivered.
    case endOfRecording
    /// Nobody takes standard output any more.
    case output(RecordStream.End)
  }

  private let source: any LocationSource
  private let settingsSource: SettingsSource
  private var settings: Settings
  private let isReplay: Bool
  private let logger: Logger
  private let manager = ServiceManager()
  private let bag = DisposeBag()

  /// What was written, for a closing line.
  private(set) var locations = 0
  private(set) var regions = 0

  init(source: any LocationSource, settingsSource: SettingsSource, settings: Settings, isReplay: Bool, logger: Logger) {
    self.source = source
    self.settingsSource = settingsSource
    self.settings = settings
    self.isReplay = isReplay
    self.logger = logger
  }

  func run() async throws {
    let (ends, end) = AsyncStream.makeStream(of: End.self)
    let outputs = try await Outputs(
      settings, isReplay: isReplay, descriptors: ListenDescriptors.take(), logger: logger,
      onEnd: { end.yield(.output($0)) })
    let pipeline = Pipeline(
      source: source, settings: settings, locations: outputs.locations, regions: outputs.regions)
    pipeline.locationManager.rx.didReachEndOfRecording
      .subscribe(onNext: { _ in end.yield(.endOfRecording) })
      .disposed(by: bag)

    pipeline.locationManager.startUpdatingLocation()
    manager.ready()
    let reason = await withGracefulShutdownHandler {
      await ends.first { _ in true } ?? .signal
    } onGracefulShutdown: {
      end.yield(.signal)
      outputs.releaseWaiting()
    }
    manager.stopping()
    pipeline.locationManager.stopUpdatingLocation()
    await outputs.close()
    if case .output(.failed(let number)) = reason {
      throw CommandError(.ioError, "standard output cannot be written: \(String(cString: strerror(number)))")
    }
  }
}

extension Daemon {
  /// Runs until the end of the recording or a signal.
  func runUntilSignalled() async throws {
    let group = ServiceGroup(
      configuration: ServiceGroupConfiguration(
        services: [.init(service: self, successTerminationBehavior: .gracefullyShutdownGroup)],
        gracefulShutdownSignals: [.sigterm, .sigint],
        // The group's own lines are about its inner workings.
        logger: Logger(label: "lifecycle") { _ in SwiftLogNoOpLogHandler() }))
    try await group.run()
  }
}
