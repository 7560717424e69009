import Journal
import LocationKit
import Platform
import Rx
import RxBinding
import Writing

@MainActor
final class FenceStateOutput: ReceiverOutput {
  fileprivate struct Shared {
    var fences: Set<String>
    var failure: String?
  }

  private let worker: Worker<Shared>
  private let onNotice: OutputNotice.Handler
  private var inside: Set<Region> = []
  /// The fences with a file of an earlier run whose state is not known yet.
  private var earlier: Set<String>
  /// The fences in which the receiver was by the journal.
  private let kept: Set<String>
  private let bag = DisposeBag()

  static func privacy(_ settings: Settings) -> [PrivacyRule] { settings.privacy.fenceState }

  init?(_ outputs: Outputs, _ settings: Settings) throws(CommandError) {
    guard let path = settings.outputs.fenceState else { return nil }
    onNotice = outputs.onNotice
    kept = Set(outputs.output(JournalOutput.self)?.fences.filter { $0.state == .inside }.map(\.region.identifier) ?? [])
    do {
      let directory = try FenceDirectory(path: path)
      earlier = try directory.files()
      worker = try Worker(Shared(fences: earlier))
      try worker.start(Body(worker: worker, directory: directory, onNotice: outputs.onNotice), on: .system)
    } catch let error as OutputError {
      throw CommandError(error)
    } catch {
      throw CommandError(.systemError, "fence state: no thread can be started: \(error)")
    }
    outputs.places.append("fence state \(path)")
  }

  func bind(to pipeline: PipelineView) {
    pipeline.fences.bind(to: Binder(self) { $0.watch($1) }).disposed(by: bag)
    pipeline.regionStates
      .bind(with: self) { output, update in
        output.earlier.remove(update.region.identifier)
        if update.state == .inside {
          output.inside.insert(update.region)
        } else {
          output.inside.remove(update.region)
        }
        output.show()
      }
      .disposed(by: bag)
    // The states that the first fix decides follow it.
    pipeline.locations.skip(1).take(1)
      .bind(with: self) { output, _ in
        output.earlier.formIntersection(output.kept)
        output.show()
      }
      .disposed(by: bag)
  }

  private func watch(_ fences: [Region]) {
    for fence in fences where !FenceDirectory.isFileName(fence.identifier) {
      onNotice(
        OutputNotice(.warning, "fence state: '\(fence.identifier)' is not the name of a file, so this fence has none"))
    }
    inside.formIntersection(fences)
    earlier.formIntersection(fences.map(\.identifier))
    show()
  }

  private func show() {
    let fences = earlier.union(inside.map(\.identifier)).filter(FenceDirectory.isFileName)
    let isNew = worker.withState { shared in
      defer { shared.fences = fences }
      return shared.fences != fences
    }
    if isNew { worker.bell.signal() }
  }

  var status: String? { worker.withState { $0.failure } }
  var summary: String? { "\(counted(inside.count, "fence")) with the receiver inside" }
  var loss: String? { worker.withState { $0.failure } }
  nonisolated var hasPeer: Bool { false }

  func finish() async {
    worker.stop(within: 5, on: .system)
    await worker.wait()
  }

  nonisolated func cancel() { worker.stopping.signal() }
}

private struct Body: LoopBody {
  let worker: Worker<FenceStateOutput.Shared>
  let directory: FenceDirectory
  let onNotice: OutputNotice.Handler
  var retry = Retry<String, Double>(minimum: 0.5, maximum: 10)

  /// The pause after which a folder that has vanished is noticed, in seconds.
  private static let patience = 5.0

  mutating func step() -> LoopState {
    let now = monotonicSeconds()
    let isEnding = worker.stopping.isSignalled
    do throws(OutputError) {
      if isEnding { try directory.clear() } else { try directory.show(worker.withState { $0.fences }) }
      worker.withState { $0.failure = nil }
      if retry.succeed() { onNotice(OutputNotice(.notice, "fence state: the files are right again")) }
      return isEnding ? .ended : .waiting(until: now + Self.patience)
    } catch {
      worker.withState { $0.failure = error.message }
      if isEnding { return .ended }
      let (wait, isNews) = retry.fail(error.message, at: now)
      if isNews { onNotice(OutputNotice(.warning, "\(error.message); retrying every 10 s at most")) }
      return .waiting(until: now + wait)
    }
  }

  mutating func wait(until deadline: Double) -> Bool { worker.wait(until: deadline, on: .system) }
}
