import ArgumentParser
import FoundationEssentials
import LocationKit
import Logging
import Serving
import TestSupport

@testable import rxlocationd

/// One output of the daemon, bound to a pipeline whose source the test plays.
@MainActor
final class OutputStage<Output: ReceiverOutput> {
  let output: Output
  let source = SimulatedLocationSource(clock: VirtualClock())
  let pipeline: Pipeline
  private let outputs: Outputs
  private let log = Recorder<String>()

  var notices: [String] { log.values }

  init(_ kind: Output.Type, _ arguments: [String], isReplay: Bool = false) async throws {
    let settings = try Settings.parse(arguments)
    outputs = Outputs(
      name: "here", isReplay: isReplay, logger: Logger(label: "") { [log] _ in Notes(log: log) }, onEnd: {})
    guard let output = try await kind.init(outputs, settings) else { throw SupportError("\(kind) is not asked for") }
    self.output = output
    pipeline = Pipeline(source: source, settings: settings)
    output.bind(to: pipeline.view(for: try settings.policy(Output.privacy(settings))))
  }

  /// A second later, a fix at the same place as ever, from a receiver that reports a speed.
  func sendStuckFix(_ second: Int, latitude: Double = 1) {
    (source.clock as? VirtualClock)?.advance(by: 1)
    source.send(
      .location(
        Location(
          coordinate: .init(latitude: latitude, longitude: 2), horizontalAccuracy: 5, speed: 14,
          timestamp: Date(timeIntervalSince1970: 1_800_000_000 + Double(second)))))
  }

  func close() async {
    await output.finish()
    await output.close()
    await outputs.network?.shutdown()
  }
}

private struct Notes: LogHandler {
  let log: Recorder<String>
  var logLevel = Logger.Level.trace
  var metadata: Logger.Metadata = [:]

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) { log.record("\(event.level): \(event.message)") }
}
