import Serving
import LocationKit
import Writing
import Platform
import Rx

@MainActor
final class StandardOutput: ReceiverOutput {
  private(set) var loss: String?
  let stream: LocationStream
  private let bag = DisposeBag()

  init(_ format: StreamFormat, _ outputs: Outputs) throws(CommandError) {
    do throws(OutputError) {
      stream = try LocationStream(
        formatter: format.makeFormatter(), mode: outputs.mode, limit: outputs.isReplay ? Outputs.replayLimit : 4 << 20,
        onNotice: outputs.onNotice, onEnd: { [onEnd = outputs.onEnd] _ in onEnd() })
    } catch {
      throw CommandError(error)
    }
    if format != .none { outputs.places.append("\(format) to standard output") }
  }

  static func privacy(_ settings: Settings) -> [PrivacyRule] { [] }

  convenience init?(_ outputs: Outputs, _ settings: Settings) throws(CommandError) {
    try self.init(settings.format, outputs)
  }

  func bind(to pipeline: PipelineView) {
    pipeline.locations.bind(to: stream.rx.locations).disposed(by: bag)
    pipeline.errors.bind(to: stream.rx.error).disposed(by: bag)
    pipeline.crossings.bind(to: stream.rx.crossing).disposed(by: bag)
  }

  func addMetrics(to registry: MetricsRegistry) {
    registry.addCounters(of: "standard output") { [stream] in stream.statistics }
  }

  var summary: String? {
    let statistics = stream.statistics
    return "\(counted(statistics.records, "record")) to standard output, \(statistics.account.lost) dropped"
  }

  nonisolated var hasPeer: Bool { !stream.isFile }

  func finish() async { loss = await stream.finish().loss(of: "standard output", stream.statistics, stream.isFile) }

  nonisolated func cancel() { stream.cancel() }
}

extension RecordStream.End {
  func loss(of stream: RecordStream) -> String? { loss(of: stream.name, stream.statistics, stream.isFile) }

  func loss(of name: String, _ statistics: OutboxStatistics, _ isFile: Bool) -> String? {
    let account = statistics.account
    // Records that a reader such as `head` did not wait for are not lost.
    guard !account.isSettled else { return nil }
    let count = account.notDelivered("written")
    return switch self {
    case .failed(let error): "\(name) cannot be written: \(error); \(count)"
    case .cancelled where isFile: "\(name): \(count), because its disk did not take them within \(Outputs.diskPatience)"
    case .cancelled: "\(name): \(count), because its reader did not read them within \(Outputs.patience) of the signal"
    case .finished, .readerGone: "\(name): \(count), because it was too slow or failed for a while"
    }
  }
}

extension Account {
  /// "2 of 5 records were not written".
  func notDelivered(_ verb: String, _ noun: String = "record") -> String {
    let missing = lost + waiting
    return "\(missing) of \(counted(accepted, noun)) \(missing == 1 ? "was" : "were") not \(verb)"
  }
}

extension MetricsRegistry {
  func addCounters<Statistics>(
    of statistics: @escaping @Sendable () -> Statistics, labels: Labels = [:],
    _ counters: (name: String, help: String, value: @Sendable (Statistics) -> Int)...
  ) {
    for (name, help, value) in counters {
      counter("rxlocationd_\(name)_total", help: help, labels: labels) { Double(value(statistics())) }
    }
  }

  func addCounters(of output: String, _ statistics: @escaping @Sendable () -> OutboxStatistics) {
    addCounters(
      of: statistics, labels: ["output": output], ("records", "Records that were written.", { $0.records }),
      ("dropped_records", "Records that were lost.", { $0.account.lost }),
      ("written_bytes", "Bytes that were written.", { $0.amount }))
  }

  func addLosses(of output: String, _ account: @escaping @Sendable () -> Account) {
    addCounters(of: account, labels: ["output": output], ("dropped_records", "Records that were lost.", { $0.lost }))
  }
}

extension LocationStream: ReactiveCompatible {}

extension Reactive where Base: LocationStream {
  var locations: Binder<[Location]> {
    Binder(base) { stream, locations in
      for location in locations { stream.write(location) }
    }
  }

  var crossing: Binder<RegionCrossing> { Binder(base) { stream, crossing in stream.write(crossing) } }

  var error: Binder<LocationError> { Binder(base) { stream, error in stream.write(error) } }
}
