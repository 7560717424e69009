import LocationKit
import Platform
import Records
import Rx
import RxBinding
import Serving

/// The location sockets, by which programs of this host use the daemon as their location service.
@MainActor
final class LocationSocketOutput: ReceiverOutput {
  private(set) var loss: String?
  /// What at least one reader wants besides the records for all.
  let wanted: BehaviorRelay<LocationSourceInterests>
  private let socket: RegionSocket
  private let format: StreamFormat
  private var formatter: any RecordFormatter
  private let isReplay: Bool
  private var buffer = RecordBuffer()
  private var clock: (any LocationClock)?
  // The present state, for new readers.
  private var location: Location?
  private var status = LocationSourceStatus.idle
  private var state = FixState.searching
  private var doubts: Doubts = []
  /// The time of the recording's clock that readers know, and that of the last record of the state.
  private var knownTime: Double?
  private var stateTime: Double?
  private let bag = DisposeBag()

  static func privacy(_ settings: Settings) -> [PrivacyRule] { settings.privacy.locationSocket }

  init?(_ outputs: Outputs, _ settings: Settings) async throws(CommandError) {
    let (addresses, format) = (settings.sockets.locations, settings.sockets.locationSocketFormat)
    guard !addresses.isEmpty, let formatter = format.makeFormatter() else { return nil }
    (self.format, self.formatter, isReplay) = (format, formatter, outputs.isReplay)
    // Readers may ask before the socket is returned.
    let wanted = BehaviorRelay(value: LocationSourceInterests())
    self.wanted = wanted
    var onWant: RegionSocket.WantHandler?
    if format.hasState { onWant = { wanted.accept($0) } }
    socket = try await RegionSocket.open(
      .location, on: addresses, formatter: formatter, onWant: onWant, outputs, settings)
    outputs.places.append(counted(addresses.count, "location socket"))
  }

  func bind(to pipeline: PipelineView) {
    clock = pipeline.clock
    // gpsd sends much about satellites, so they are followed while a reader wants them. A reader who asks later than another
    // gets the present ones, too.
    let (satellites, headings) = (pipeline.satellites, pipeline.headings)
    wanted.map { $0.contains(.satellites) }
      .distinctUntilChanged()
      .flatMapLatest { [wanted] isWanted in
        isWanted ? Observable.combineLatest(satellites, wanted) { update, _ in update } : .never()
      }
      .bind(to: Binder(self) { output, update in output.publishState(.satellites) { $0.append(update, to: &$1) } })
      .disposed(by: bag)
    wanted.map { $0.contains(.headings) }
      .distinctUntilChanged()
      .flatMapLatest { $0 ? headings : .never() }
      .bind(to: Binder(self) { output, update in output.publishState(.headings) { $0.append(update, to: &$1) } })
      .disposed(by: bag)
    // The first greeting.
    publish { _, _ in }
    pipeline.locations
      .bind(to: Binder(self) { output, locations in for location in locations { output.publish(location) } })
      .disposed(by: bag)
    pipeline.errors
      .bind(to: Binder(self) { output, error in output.publish { $0.append(error, to: &$1) } })
      .disposed(by: bag)
    pipeline.crossings
      .bind(to: Binder(self) { output, crossing in output.publish { $0.append(crossing, to: &$1) } })
      .disposed(by: bag)
    pipeline.losses.bind(to: Binder(self) { output, loss in output.publish(.lost(loss)) }).disposed(by: bag)
    pipeline.reportsWithoutFix
      .bind(to: Binder(self) { output, _ in output.publishReportWithoutFix() })
      .disposed(by: bag)
    pipeline.sourceStatuses
      .bind(with: self) { output, status in
        output.status = status
        output.publishState { $0.append(status, to: &$1) }
      }
      .disposed(by: bag)
    pipeline.doubts
      .bind(with: self) { output, doubts in
        output.doubts = doubts
        output.publishState { $0.append(doubts, to: &$1) }
      }
      .disposed(by: bag)
  }

  private func publish(_ location: Location) {
    let isNew = state != .current
    (self.location, state) = (location, .current)
    publish { $0.append(location, to: &$1) }
    if isNew { publish(.current) }
  }

  private func publish(_ state: FixState) {
    (self.state, stateTime) = (state, clock?.now)
    publishState { $0.append(state, to: &$1) }
  }

  /// A source of another program needs to know that the receiver still speaks, so this is sent at each report.
  private func publishReportWithoutFix() {
    // The loss that this report has caused was just sent.
    if stateTime == clock?.now { return }
    publishState { [state] in $0.append(state, withoutFix: true, to: &$1) }
  }

  // MARK: Records

  private func publishState(
    _ topic: LocationSourceInterests = [], _ append: (NDJSONFormatter, inout RecordBuffer) -> Void
  ) { publish(topic) { _, buffer in appendState(to: &buffer, append) } }

  private func appendState(to buffer: inout RecordBuffer, _ append: (NDJSONFormatter, inout RecordBuffer) -> Void) {
    guard format.hasState else { return }
    if format == .ndjson { return append(NDJSONFormatter(), &buffer) }
    GeoJSONFormatter.appendFeature(to: &buffer) { append(NDJSONFormatter(), &$0) }
  }

  private func publish(
    _ topic: LocationSourceInterests = [], _ append: (inout any RecordFormatter, inout RecordBuffer) -> Void
  ) {
    if isReplay, let now = clock?.now, now != knownTime {
      knownTime = now
      publishState { $0.append(clock: now, to: &$1) }
    }
    buffer.removeAll()
    append(&formatter, &buffer)
    socket.publish(buffer, topic: topic, greeting: greeting)
  }

  /// The recording's time, the source, the fix or why it is missing, and the doubts.
  private var greeting: [UInt8] {
    RecordBuffer.bytes { buffer in
      // A document begins for each reader, and its first fix begins no new segment.
      var formatter = format.makeFormatter()
      formatter?.appendStart(to: &buffer)
      if let knownTime { appendState(to: &buffer) { $0.append(clock: knownTime, to: &$1) } }
      appendState(to: &buffer) { $0.append(status, to: &$1) }
      if state == .current, let location { formatter?.append(location, to: &buffer) }
      appendState(to: &buffer) { $0.append(state, to: &$1) }
      if !doubts.isEmpty { appendState(to: &buffer) { $0.append(doubts, to: &$1) } }
    }
  }

  // MARK: The daemon

  func addMetrics(to registry: MetricsRegistry) {
    registry.gauge("rxlocationd_location_readers", help: "Readers of the location sockets.") { [socket] in
      Double(socket.statistics.readers)
    }
    registry.addLosses(of: "location sockets") { [socket] in socket.statistics.account }
  }

  var summary: String? { "location sockets: \(socket.statistics.summary(of: "record"))" }

  func finish() async {
    wanted.accept([])
    publish { $0.appendEnd(to: &$1) }
    loss = await socket.finish("record")
  }

  nonisolated func cancel() async { await socket.shutdown(within: .zero) }
}
