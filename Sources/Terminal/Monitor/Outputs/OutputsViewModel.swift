import Dispatch
import Platform
import Rx
import RxBinding

struct OutputItem: Sendable, Equatable {
  var name: String
  var text: String
  /// Whether it has lost records, or cannot deliver now.
  var hasLosses = false
}

struct OutputsViewModel {
  struct Output {
    let outputs: Driver<[OutputItem]>
    /// One message when the metrics cannot be read, and one when they can be read again.
    let notice: Observable<(Message.Level, String)>
  }

  /// Reads the page of metrics at each subscription.
  let page: @Sendable () -> Single<String>
  let scheduler: any SchedulerType

  func transform() -> Output {
    let page = page
    let pages = Observable<Int>.timer(.seconds(0), period: .seconds(2), scheduler: scheduler)
      .flatMapFirst { _ -> Observable<(text: String?, failure: String)> in
        page().asObservable().map { (text: $0, failure: "") }.catch { .just((text: nil, failure: "\($0)")) }
      }
      .share(replay: 1)
    let notices = pages.distinctUntilChanged { ($0.text == nil) == ($1.text == nil) }
      .map { text, failure -> (Message.Level, String) in
        text == nil ? (.warning, "no metrics of the daemon: \(failure)") : (.good, "the daemon's metrics are read")
      }
    let outputs = pages.map { text, failure in
      text.map(Self.outputs) ?? [OutputItem(name: "metrics", text: failure, hasLosses: true)]
    }
    return Output(outputs: outputs.distinctUntilChanged().asDriver(onErrorJustReturn: []), notice: notices)
  }

  /// Reads Prometheus' text.
  static func outputs(in text: String) -> [OutputItem] {
    var values: [(name: Substring, output: String?, value: Double)] = []
    for line in text.split(whereSeparator: \.isNewline) where !line.hasPrefix("#") {
      guard let space = line.lastIndex(of: " "), let value = Double(line[line.index(after: space)...]) else { continue }
      let series = line[..<space]
      let name = series.prefix { $0 != "{" }
      let output = series.firstRange(of: "output=\"").map { String(series[$0.upperBound...].prefix { $0 != "\"" }) }
      values.append((name, output, value))
    }
    func number(_ name: String, of output: String? = nil) -> Int? {
      values.first { $0.name == "rxlocationd_" + name && $0.output == output }
        .flatMap { Int(exactly: $0.value.rounded()) }
    }
    func item(_ name: String, _ count: Int?, _ unit: String, lost: Int?) -> OutputItem? {
      count.map { count in
        let losses = lost ?? 0
        return OutputItem(
          name: name, text: counted(count, unit) + (losses > 0 ? ", \(losses) lost" : ""), hasLosses: losses > 0)
      }
    }
    let streams = values.filter { $0.name == "rxlocationd_records_total" }.compactMap(\.output).compactMap { output in
      item(output, number("records_total", of: output), "record", lost: number("dropped_records_total", of: output))
    }
    let published = values.filter { $0.name == "rxlocationd_publish_acknowledged_total" }.compactMap { value in
      let waiting = number("publish_queue_rows", of: value.output).map { ", \($0) waiting" } ?? ""
      return number("publish_acknowledged_total", of: value.output).map { count in
        OutputItem(
          name: value.output ?? "broker", text: "\(count) delivered\(waiting)",
          hasLosses: number("publish_connected", of: value.output) == 0)
      }
    }
    return streams
      + [
        item("region sockets", number("regions_total"), "region", lost: number("region_drops_total")),
        item("journal", number("journal_rows_total"), "row", lost: number("journal_dropped_records_total")),
      ].compactMap { $0 } + published
  }
}
