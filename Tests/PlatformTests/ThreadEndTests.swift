import Platform
import Testing

/// Who waits for the end of a thread.
@Suite(.timeLimit(.minutes(5))) struct ThreadEndTests {
  @Test func allWhoWaitGoOnAndWhoComesLaterToo() async {
    let end = ThreadEnd()
    async let first: Void = end.wait()
    async let second: Void = end.wait()
    end.reach()
    _ = await (first, second)
    end.reach()
    await end.wait()
  }

  @Test func aThreadThatHangsKeepsNobodyWaiting() async {
    let end = ThreadEnd()
    end.reach(within: 0.01)
    await end.wait()
  }
}
