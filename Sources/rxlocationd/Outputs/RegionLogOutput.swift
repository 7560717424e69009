import Serving
import Writing
import Platform

@MainActor
final class RegionLogOutput: ReceiverOutput {
  private(set) var loss: String?
  private let log: RecordStream
  private let sparing: SparingFilter?

  static func privacy(_ settings: Settings) -> [PrivacyRule] { [] }

  init?(_ outputs: Outputs, _ settings: Settings) throws(CommandError) {
    guard let path = settings.outputs.regionLog else { return nil }
    sparing = settings.spareDisk ? SparingFilter() : nil
    outputs.places.append("region log \(path)")
    do throws(OutputError) {
      log = try RecordStream(
        regionLog: path, mode: outputs.mode, limit: outputs.isReplay ? Outputs.replayLimit : 1 << 20,
        onNotice: outputs.onNotice, onEnd: { [onEnd = outputs.onEnd] _ in onEnd() })
    } catch {
      throw CommandError(error)
    }
  }

  func bind(to pipeline: PipelineView) {
    pipeline.regionRecords.forEach(
      { [log] in log.append($0) }, where: { [sparing] in sparing?.keeps($0, at: $1) ?? true })
  }

  func addMetrics(to registry: MetricsRegistry) { registry.addCounters(of: "region log") { [log] in log.statistics } }

  var summary: String? {
    let statistics = log.statistics
    return "\(statistics.records) to the region log, \(statistics.account.lost) dropped"
  }

  func reopen() { log.reopen() }

  nonisolated var hasPeer: Bool { !log.isFile }

  func finish() async { loss = await log.finish().loss(of: log) }

  nonisolated func cancel() { log.cancel() }
}
