import Testing

@testable import GPSD

extension GPSDTests {
  struct BackoffTests {
    @Test func doublesUpToTheMaximum() {
      var backoff = Backoff(minimum: 0.25, maximum: 15)
      let delays = (0..<9).map { _ in backoff.delay(random: 0.5) }
      #expect(delays == [0.25, 0.5, 1, 2, 4, 8, 15, 15, 15])
      backoff.reset()
      #expect(backoff.delay(random: 0.5) == 0.25)
    }

    @Test func spreadsWithinTheLimits() {
      var low = Backoff(minimum: 0.25, maximum: 15)
      #expect((0..<7).map { _ in low.delay(random: 0) } == [0.25, 0.375, 0.75, 1.5, 3, 6, 11.25])
      var high = Backoff(minimum: 0.25, maximum: 15)
      #expect((0..<7).map { _ in high.delay(random: 1) } == [0.3125, 0.625, 1.25, 2.5, 5, 10, 15])
    }

    @Test(arguments: [(Double.nan, Double.nan), (-1, -2), (5, 1), (.infinity, .infinity), (0, 0)])
    func mendsSenselessLimits(minimum: Double, maximum: Double) {
      var backoff = Backoff(minimum: minimum, maximum: maximum)
      for _ in 0..<50 {
        let delay = backoff.delay(random: 0.9)
        #expect(delay >= 0.001 && delay <= 3600)
      }
    }
  }
}
