import Platform
import TestSupport
import Testing

@Suite(.inTurn, .timeLimit(.minutes(5))) struct WorkerTests {
  private struct Waiting: LoopBody {
    let worker: Worker<Int>

    func step() -> LoopState {
      if !worker.stopping.isSignalled { return .waiting(until: .infinity) }
      worker.withState { $0 += 1 }
      return .ended
    }

    func wait(until deadline: Double) -> Bool { worker.wait(until: deadline, on: .system) }
  }

  /// Hangs in its step until the bell rings.
  private struct Hanging: LoopBody {
    let worker: Worker<Int>

    func step() -> LoopState {
      _ = worker.bell.wait()
      return .ended
    }

    func wait(until deadline: Double) -> Bool { false }
  }

  @Test func aStopResumesEarlierAndLaterWaiters() async throws {
    let worker = try Worker(0)
    try worker.start(Waiting(worker: worker), on: .system)
    async let first: Void = worker.wait()
    async let second: Void = worker.wait()
    worker.stopping.signal()
    _ = await (first, second)
    await worker.wait()
    #expect(worker.withState { $0 } == 1)
  }

  @Test func aHangingThreadDoesNotDelayWaiters() async throws {
    let worker = try Worker(0)
    try worker.start(Hanging(worker: worker), on: .system)
    worker.stop(within: 0.01, on: .system)
    await worker.wait()
    worker.bell.signal()
  }
}
