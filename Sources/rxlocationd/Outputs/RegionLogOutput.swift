import HTTP
import Output
import Platform

@MainActor
final class RegionLogOutput: ReceiverOutput {
  private(set) var loss: String?
  private let log: RecordStream

  private init(_ log: RecordStream) {
    self.log = log
  }

  static func open(_ outputs: Outputs, _ settings: Settings) throws(CommandError) -> RegionLogOutput? {
    guard let path = settings.outputs.regionLog else { return nil }
    do throws(OutputError) {
      return RegionLogOutput(
        try RecordStream(
          regionLog: path, mode: outputs.mode, limit: outputs.isReplay ? Outputs.replayLimit : 1 << 20,
          onNotice: outputs.onNotice, onEnd: { [onEnd = outputs.onEnd] _ in onEnd() }))
    } catch {
      throw CommandError(error)
    }
  }

  func bind(to pipeline: Pipeline) {
    pipeline.regionRecords.forEach { [log] in log.append($0) }
  }

  func addMetrics(to registry: MetricsRegistry) {
    registry.addCounters(of: "region log") { [log] in log.statistics }
  }

  var summary: String? {
    let statistics = log.statistics
    return "\(statistics.records) to the region log, \(statistics.account.lost) dropped"
  }

  func reopen() { log.reopen() }

  func finish() async { loss = await log.finish().loss(of: log.name, log.statistics) }

  nonisolated func cancel() { log.cancel() }
}
