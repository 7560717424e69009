import Foundation
import LocationKit
import TestSupport
import Testing
import Tracks

@Suite(.inTurn) struct GapFinderTests {
  /// Where gaps are found between fixes at some seconds: the numbers of the fixes behind them.
  private func gaps(_ seconds: [Double?], gapAfter: Double? = nil) -> [Int] {
    let fixes = seconds.enumerated().map { TrackEvent.fix(fix($1, east: Double($0))) }
    var finder = GapFinder(gapAfter: gapAfter)
    let events = fixes.passed(through: &finder)
    #expect(events.filter { $0 != .gap } == fixes, "a fix is lost, or in another place")
    return events.indices.filter { events[$0] == .gap }.map { place in events[..<place].count { $0 != .gap } }
  }

  private func times(_ steps: [Double]) -> [Double?] {
    var time = 0.0
    return [0]
      + steps.map { step in
        time += step
        return time
      }
  }

  private func steps(_ count: Int, of seconds: Double) -> [Double] { [Double](repeating: seconds, count: count) }

  @Test func aRecordingOfEverySecondHasAGapAfterFiveMinutes() {
    let second = steps(20, of: 1)
    #expect(gaps(times(second + [300] + second)).isEmpty)
    #expect(gaps(times(second + [301] + second)) == [21])
    #expect(gaps(times([301] + second)) == [1])
    #expect(gaps(times(second + [301])) == [21])
    #expect(gaps(times(second + [400, 1, 500] + second)) == [21, 23])
  }

  /// Also where the receiver begins and ends to be so slow.
  @Test func aFixEverySixMinutesIsAPaceAndNoGap() {
    let slow = steps(20, of: 360)
    #expect(gaps(times(slow)).isEmpty)
    #expect(gaps(times([360])).isEmpty)
    #expect(gaps(times(steps(20, of: 1) + slow + steps(20, of: 1))).isEmpty)
    #expect(gaps(times(slow + [3600] + slow)).isEmpty)
    #expect(gaps(times(slow + [3601] + slow)) == [21])
  }

  @Test func aStatedGapIsOneWhateverThePace() {
    #expect(gaps(times([5, 10, 10.001, 360]), gapAfter: 10) == [3, 4])
    #expect(gaps(times(steps(3, of: 400)), gapAfter: 3600).isEmpty)
  }

  @Test func whatHasNoTimeIsNoGapAndWhatRunsBackwardsIsOne() {
    #expect(gaps([0, nil, 1, 2, nil, 3, 4, 5, nil, 6]).isEmpty)
    for gapAfter in [nil, 100.0] { #expect(gaps([0, nil, 1, 2, nil, 3, 0, 1, nil, 2], gapAfter: gapAfter) == [6]) }
    // Also where it does amid what is held back.
    #expect(gaps(times(steps(20, of: 1) + [400, 1, -50, 1])) == [21, 23])
    // A leap of more than a year is none of a receiver's.
    #expect(gaps(times(steps(5, of: 90 * 86_400) + [366 * 86_400.0]), gapAfter: 1e9) == [6])
    // A fix without a time does not hide the gap around it.
    #expect(gaps(times(steps(20, of: 1)) + [nil, 500, 501, 502]) == [22])
  }

  @Test func withinSegmentsItIsASilence() {
    let fixes = [0, 1, 2, 1000, 1001, 900, 901].map { TrackEvent.fix(fix($0)) }
    for gapAfter in [nil, 300.0] {
      var finder = GapFinder(gapAfter: gapAfter, knowsSegments: true)
      #expect(fixes.passed(through: &finder) == Array(fixes[..<3]) + [TrackEvent.silence] + Array(fixes[3...]))
    }
  }

  @Test func aGapThatIsSaidIsNotFoundAgain() {
    var finder = GapFinder()
    let fixes = [0, 1, 2, 1000, 1001, 1002].map { TrackEvent.fix(fix($0)) }
    let said = Array(fixes[..<3] + [.gap] + fixes[3...])
    #expect(said.passed(through: &finder) == said)
  }
}
