import Platform
import TestSupport
import Testing

@Suite(.inTurn) struct BackoffTests {
  @Test func growsUpToTheMaximum() {
    var backoff = Backoff(minimum: 0.25, maximum: 2)
    let delays = (0..<8).map { _ in backoff.delay(random: 0.5) }
    #expect(delays == [0.25, 0.375, 0.5625, 0.84375, 1.265625, 1.8984375, 2, 2])
    backoff.reset()
    #expect(backoff.delay(random: 0.5) == 0.25)
  }

  @Test func spreadsWithinTheLimits() {
    var low = Backoff(minimum: 1, maximum: 4)
    #expect((0..<6).map { _ in low.delay(random: 0) } == [1, 1.125, 1.6875, 2.53125, 3, 3])
    var high = Backoff(minimum: 1, maximum: 4)
    #expect((0..<6).map { _ in high.delay(random: 1) } == [1.25, 1.875, 2.8125, 4, 4, 4])
  }

  @Test func findsWhatComesBackSoonWithinTwoSeconds() {
    for random in [0, 0.5, 0.999] {
      var backoff = Backoff(minimum: 0.25, maximum: 15)
      var elapsed = 0.0
      while elapsed < 3 {
        let delay = backoff.delay(random: random)
        #expect(delay < 2)
        elapsed += delay
      }
    }
  }

  @Test(arguments: [(Double.nan, Double.nan), (-1, -2), (5, 1), (.infinity, .infinity), (0, 0)])
  func replacesSenselessLimits(minimum: Double, maximum: Double) {
    var backoff = Backoff(minimum: minimum, maximum: maximum)
    for _ in 0..<50 {
      let delay = backoff.delay(random: 0.9)
      #expect(delay >= 0.001 && delay <= 3600)
    }
  }
}
