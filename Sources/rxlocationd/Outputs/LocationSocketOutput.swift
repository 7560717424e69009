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
  private let socket: RegionSocket
  private let format: StreamFormat
  private var formatter: any RecordFormatter
  private let isReplay: Bool
  private var buffer = RecordBuffer()
  // The present state, for new readers.
  private var location: Location?
  private var status = LocationSourceStatus.idle
  private var state = FixState.searching
  private var doubts: Doubts = []
  /// The time of the recording's clock that readers know, and that of the last record of the state.
  private var knownTime: Double?
  private var stateTime: Double?
  private var pipeline: PipelineView?
  private(set) var wanted: StreamTopics = []
  private var satellites: [Satellite]?
  /// The subscriptions to satellites and headings, while a reader wants them.
  private var following: [StreamTopics: any Disposable] = [:]
  private let bag = DisposeBag()

  private init(_ socket: RegionSocket, _ format: StreamFormat, _ formatter: any RecordFormatter, isReplay: Bool) {
    (self.socket, self.format, self.formatter, self.isReplay) = (socket, format, formatter, isReplay)
  }

  static func privacy(_ settings: Settings) -> [PrivacyRule] { settings.privacy.locationSocket }

  /// Connects the socket, which readers may use at once, to the output.
  @MainActor private final class Asking {
    weak var output: LocationSocketOutput?
    var wanted: StreamTopics = []
  }

  static func open(_ outputs: Outputs, _ settings: Settings) async throws(CommandError) -> LocationSocketOutput? {
    let (addresses, format) = (settings.sockets.locations, settings.sockets.locationSocketFormat)
    guard !addresses.isEmpty, let formatter = format.makeFormatter() else { return nil }
    let asking = Asking()
    var onWant: RegionSocket.WantHandler?
    if format == .ndjson || format == .geojson {
      onWant = {
        asking.wanted = $0
        asking.output?.follow($0)
      }
    }
    let socket = try await RegionSocket.open(
      .location, on: addresses, formatter: formatter, onWant: onWant, outputs, settings)
    outputs.places.append(counted(addresses.count, "location socket"))
    let output = LocationSocketOutput(socket, format, formatter, isReplay: outputs.isReplay)
    asking.output = output
    // A reader may have asked while the last address was opened.
    output.follow(asking.wanted)
    return output
  }

  func bind(to pipeline: PipelineView) {
    self.pipeline = pipeline
    follow(wanted)
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
    pipeline.losses
      .bind(to: Binder(self) { output, loss in output.publish(.lost(loss)) })
      .disposed(by: bag)
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

  /// Follows what a reader wants, as long as one does, because gpsd sends much about satellites.
  private func follow(_ topics: StreamTopics) {
    wanted = topics
    guard let pipeline else { return }
    // For a reader who asks later than another.
    if topics.contains(.satellites), let satellites { publishState(.satellites) { $0.append(satellites, to: &$1) } }
    follow(.satellites, pipeline.satellites) { output, update in
      output.satellites = update
      output.publishState(.satellites) { $0.append(update, to: &$1) }
    }
    if following[.satellites] == nil { satellites = nil }
    follow(.headings, pipeline.headings) { output, update in
      output.publishState(.headings) { $0.append(update, to: &$1) }
    }
  }

  private func follow<Update: Sendable>(
    _ topic: StreamTopics, _ updates: Observable<Update>,
    _ publish: @escaping @MainActor @Sendable (LocationSocketOutput, Update) -> Void
  ) {
    guard wanted.contains(topic) != (following[topic] != nil) else { return }
    if let last = following.removeValue(forKey: topic) { return last.dispose() }
    following[topic] = updates.bind(to: Binder(self) { publish($0, $1) })
  }

  private func publish(_ location: Location) {
    let isNew = state != .current
    (self.location, state) = (location, .current)
    publish { $0.append(location, to: &$1) }
    if isNew { publish(.current) }
  }

  private func publish(_ state: FixState) {
    (self.state, stateTime) = (state, pipeline?.clock.now)
    publishState { $0.append(state, to: &$1) }
  }

  /// A source of another program needs to know that the receiver still speaks, so this is sent at each report.
  private func publishReportWithoutFix() {
    // The loss that this report has caused was just sent.
    if stateTime == pipeline?.clock.now { return }
    let state = state
    publishState { $0.append(state, withoutFix: true, to: &$1) }
  }

  // MARK: Records

  /// Publishes a record of the state, in the formats that have it.
  private func publishState(_ topic: StreamTopics = [], _ append: (NDJSONFormatter, inout RecordBuffer) -> Void) {
    publish(topic) { _, buffer in appendState(to: &buffer, append) }
  }

  private func appendState(to buffer: inout RecordBuffer, _ append: (NDJSONFormatter, inout RecordBuffer) -> Void) {
    switch format {
    case .ndjson: append(NDJSONFormatter(), &buffer)
    case .geojson: GeoJSONFormatter.appendFeature(to: &buffer) { append(NDJSONFormatter(), &$0) }
    case .gpx, .csv, .none: break
    }
  }

  private func publish(
    _ topic: StreamTopics = [], _ append: (inout any RecordFormatter, inout RecordBuffer) -> Void
  ) {
    if isReplay, let now = pipeline?.clock.now, now != knownTime {
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
    for subscription in following.values { subscription.dispose() }
    publish { $0.appendEnd(to: &$1) }
    loss = await socket.finish("record")
  }

  nonisolated func cancel() async { await socket.shutdown(within: .zero) }
}
