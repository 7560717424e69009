import Platform
import Testing

/// Tasks that wait for the end of a thread.
@Suite(.timeLimit(.minutes(5))) struct ThreadEndTests {
  @Test func earlierAndLaterWaitersAreResumed() async {
    let end = ThreadEnd()
    async let first: Void = end.wait()
    async let second: Void = end.wait()
    end.finish()
    _ = await (first, second)
    end.finish()
    await end.wait()
  }

  @Test func aHangingThreadDoesNotDelayWaiters() async {
    let end = ThreadEnd()
    end.finish(within: 0.01)
    await end.wait()
  }
}
