import Platform
import Testing

@Suite(.timeLimit(.minutes(5))) struct WorkerTests {
  @Test func aStopResumesEarlierAndLaterWaiters() async throws {
    let worker = try Worker(0)
    try worker.start { [worker] in
      _ = worker.stopping.wait()
      worker.withState { $0 += 1 }
    }
    async let first: Void = worker.wait()
    async let second: Void = worker.wait()
    worker.stopping.signal()
    _ = await (first, second)
    await worker.wait()
    #expect(worker.withState { $0 } == 1)
  }

  @Test func aHangingThreadDoesNotDelayWaiters() async throws {
    let worker = try Worker(())
    try worker.start { [worker] in _ = worker.bell.wait() }
    worker.stop(within: 0.01)
    await worker.wait()
    worker.bell.signal()
  }
}
