import FoundationEssentials
import Journal
import LocationKit
import Logging
import Platform
import Rx
import RxBinding
import RxLocation

@MainActor
final class ReceiverFeed: Feed {
  /// Reads the settings again; `changed` names those that differ from the start's.
  typealias Reading = @MainActor () async throws(CommandError) -> (settings: Settings, changed: Set<String>)

  typealias Opening = @MainActor (Outputs) throws(CommandError) -> RecordOutput?

  /// All kinds of outputs, in the order in which they are opened and finished. Sockets come before files, which stay
  /// unchanged when another process uses an address. The journal has all records before the publisher ends. A client
  /// that can scrape the metrics finds all of them.
  private static let outputs: [any ReceiverOutput.Type] = [
    MapOutput.self, LocationSocketOutput.self, RegionSocketOutput.self, NMEASocketOutput.self, JournalOutput.self,
    FenceStateOutput.self, RegionLogOutput.self, StandardOutput.self, DatabaseOutput.self, PublishingOutput.self,
    MetricsOutput.self,
  ]

  private let name: String
  private let pipeline: Pipeline
  private let settings: Settings
  private let readSettings: Reading
  private let openRecord: Opening
  private let replay: ReplayControl?
  private let logger: Logger
  private let end: @MainActor () -> Void
  private var record: RecordOutput?
  private var states: [FenceState] = []
  /// The satellite counts for the status line, while there is no fix.
  private var satellites: (seen: Int, used: Int)?
  private let satelliteUpdates: MainObservable<[Satellite]?>
  private let bag = DisposeBag()

  /// Dates before `earliestDate` are impossible. `readSettings` reads the settings again, for SIGHUP; `openRecord` opens the
  /// record of a live source; `replay` controls a recording, and `end` is called at its end.
  init(
    source: any LocationSource, name: String, settings: Settings, logger: Logger, earliestDate: Date? = nil,
    readSettings: @escaping Reading, openRecord: @escaping Opening = { _ in nil }, replay: ReplayControl? = nil,
    end: @escaping @MainActor () -> Void
  ) {
    (self.name, self.settings, self.logger, self.readSettings, self.end) = (name, settings, logger, readSettings, end)
    (self.openRecord, self.replay) = (openRecord, replay)
    let pipeline = Pipeline(source: source, settings: settings, earliestDate: earliestDate)
    self.pipeline = pipeline
    pipeline.filter?.report = { logger.warning("\($0)") }
    let rx = pipeline.locationManager.rx
    // Satellites are needed only while there is no fix.
    let (fix, updates) = (rx.didUpdateLocations, pipeline.satellites)
    satelliteUpdates = rx.didChangeFixState
      .filter { $0.loss != nil }
      .map { _ in }
      .startWith(())
      .flatMapLatest { Observable.concat(updates.map { $0 }.take(until: fix), .just(nil)) }
      .share()
    satelliteUpdates
      .bind(with: self) { feed, satellites in
        feed.satellites = satellites.map { ($0.count, $0.count(where: \.isUsed)) }
      }
      .disposed(by: bag)
  }

  func open(_ outputs: Outputs) async throws(CommandError) {
    outputs.replay = replay
    var opened: [any ReceiverOutput] = []
    for kind in Self.outputs {
      guard let output = try await kind.init(outputs, settings) else { continue }
      outputs.add(output)
      opened.append(output)
    }
    record = try openRecord(outputs)
    if let record { outputs.add(record) }
    for output in opened {
      output.bind(to: pipeline.view(for: try settings.policy(type(of: output).privacy(settings))))
    }
    states = outputs.output(JournalOutput.self)?.fences ?? []
    let rx = pipeline.locationManager.rx
    rx.didReachEndOfRecording.bind(to: Binder(self) { feed, _ in feed.end() }).disposed(by: bag)
    rx.monitoringDidFail.subscribe(onNext: { [logger] in logger.warning("\($0.error.message)") }).disposed(by: bag)
    rx.didChangeDoubts
      .scan((before: Doubts(), now: Doubts())) { ($0.now, $1) }
      .subscribe(onNext: { [logger] before, now in
        for sentence in now.subtracting(before).sentences { logger.warning("the fix is in doubt: \(sentence)") }
        for sentence in before.subtracting(now).sentences { logger.notice("no longer in doubt: \(sentence)") }
      })
      .disposed(by: bag)
  }

  func start(ready: () -> Void) {
    pipeline.start(knowing: states)
    ready()
  }

  func stop() {
    pipeline.stop()
    // The source runs on for satellites, whose reports would give a replay more than the outputs got.
    record?.end()
  }

  var status: String {
    let locationManager = pipeline.locationManager
    return StatusText(
      name: name, status: locationManager.source.status,
      fix: locationManager.fixState, location: locationManager.location, satellites: satellites
    ).line
  }

  var statusChanges: Observable<Void> {
    let rx = pipeline.locationManager.rx
    return Observable.merge(
      rx.didUpdateLocations.map { _ in }, rx.didFailWithError.map { _ in },
      rx.didChangeSourceStatus.map { _ in }, satelliteUpdates.map { _ in })
  }

  var summary: String? { pipeline.filter.map { "\(counted($0.jumpCount, "jump")) left out" } }
  var loss: String? { nil }

  func reload() async throws(CommandError) -> Set<String> {
    let (settings, changed) = try await readSettings()
    pipeline.apply(settings)
    return changed.subtracting(Settings.reloadable)
  }
}
