import Foundation
import TestSupport
import Testing

@testable import Replay

@Suite(.inTurn) struct TimelineTests {
  private func positions(_ times: [Double]) -> [Double] {
    var timeline = RecordingTimeline()
    return times.map {
      timeline.move(to: $0)
      return timeline.now
    }
  }

  @Test(
    arguments: [
      ([100, 101, 102.5], [0, 1, 2.5]),
      // A gap lasts what it lasted, up to an hour.
      ([100, 101, 701, 4301, 4302], [0, 1, 601, 4201, 4202]),
      // A jump lasts as long as the step before it, at most a second.
      ([100, 101, 50, 51], [0, 1, 2, 3]), ([100, 101, 9000, 9001], [0, 1, 2, 3]),
      ([100, 130, 50, 51], [0, 30, 31, 32]),
      ([100, 100.2, 50, 50.2], [0, 0.2, 0.4, 0.6]),
      // Without dates midnight is a step back; with them it is none.
      ([86_399, 0, 1], [0, 1, 2]), ([1_711_238_399, 1_711_238_400], [0, 1]),
      ([1_711_238_399, 1_711_238_400, 1_711_152_010], [0, 1, 2]),
      // The date becomes known.
      ([45_000, 1_711_238_399, 1_711_238_400], [0, 0, 1]),
      ([5, 5, 5, 6], [0, 0, 0, 1]),
    ] as [([Double], [Double])])
  func moves(_ times: [Double], _ expected: [Double]) {
    for (position, value) in zip(positions(times), expected) { #expect(abs(position - value) < 1e-9) }
  }

  /// The step to the beginning lasts as long as the last one. Those after it have their own lengths.
  @Test func aRecordingThatBeginsAgainHasItsOwnSteps() {
    var timeline = RecordingTimeline()
    let times = (0..<2).flatMap { _ in
      timeline.startOver()
      return [100, 100.5, 103, 103.5].map { time -> Double in
        timeline.move(to: time)
        return timeline.now
      }
    }
    #expect(times == [0, 1, 3.5, 4, 4.5, 5, 7.5, 8])
  }

  @Test func silenceCountsOnce() {
    var timeline = RecordingTimeline()
    timeline.move(to: 100)
    timeline.idle(until: 0.8)
    #expect(timeline.now == 0.8)
    #expect(timeline.position(of: 101) == 1)
    timeline.move(to: 101)
    #expect(timeline.now == 1)
    timeline.idle(until: 3)
    timeline.move(to: 102)
    #expect(timeline.now == 3)
    timeline.move(to: 103)
    #expect(timeline.now == 4)
  }
}
