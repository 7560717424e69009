import GPSD
import Serving
import Writing
import Platform

@MainActor
final class RecordOutput: DaemonOutput {
  private(set) var loss: String?
  private let source: GPSDSource
  private let stream: RecordStream

  /// Opens the record of a source that has not been started; `nil` if the options ask for none.
  init?(of source: GPSDSource, _ options: RecordOptions, _ outputs: Outputs) throws(CommandError) {
    guard let path = options.path else { return nil }
    self.source = source
    outputs.places.append("record \(path)")
    do throws(OutputError) {
      stream = try RecordStream(
        record: path, limit: options.limit, isLine: { GPSDRecordDecoder.isRecord($0) },
        header: { [endpoint = source.endpoint] in
          GPSDRecordDecoder.header(of: endpoint, notBefore: RxLocationD.released, before: $0)
        },
        onNotice: outputs.onNotice)
    } catch {
      throw CommandError(error)
    }
    source.notBefore = RxLocationD.released
    source.onRecord = { [stream] in stream.append($0) }
  }

  func end() { source.endRecord() }

  func addMetrics(to registry: MetricsRegistry) { registry.addCounters(of: "record") { [stream] in stream.statistics } }

  var summary: String? {
    let statistics = stream.statistics
    return "\(counted(statistics.records, "line")) to the record, \(statistics.account.lost) dropped"
  }

  nonisolated var hasPeer: Bool { false }

  func finish() async { loss = await stream.finish().loss(of: stream) }

  nonisolated func cancel() { stream.cancel() }
}
