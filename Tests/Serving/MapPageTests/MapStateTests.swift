import Foundation
import LocationKit
import Platform
import TestSupport
import Testing

@testable import MapPage

/// What the page shows of a replay that is paused or sent back.
@Suite(.inTurn) struct MapStateTests {
  private var state = MapState(
    page: PageMembers(version: "1", hasHistory: false), source: .init(name: "replay", kind: .replay))
  private let control = ReplayControl(factor: 1)

  private func location(at second: Double) -> Location { fix(1 + second / 1000, at: second) }

  private func ordered(_ isPaused: Bool) -> ReplayControl.State {
    control.order { $0.isPaused = isPaused }
    return control.state
  }

  private func age() throws -> Double {
    try #require(members(of: String(decoding: state.json, as: UTF8.self))["age"] as? Double)
  }

  @Test mutating func aFixDoesNotAgeInAPause() throws {
    let start = monotonicSeconds()
    state.show(ordered(false))
    state.show(location(at: 0))
    state.show(ordered(true))
    // The fix was 10 s old when the pause began, 100 s ago.
    (state.fixTime, state.pauseTime) = (start - 110, start - 100)
    #expect(abs(try age() - 10) < 0.01)
    state.show(ordered(true))
    #expect(abs(try age() - 10) < 0.01)
    state.show(ordered(false))
    // The pause was at least 100 s long, so the fix counts as at least 100 s younger.
    #expect(try #require(state.fixTime) >= start - 10 && state.pauseTime == nil)
    #expect(try age() >= 10)
  }

  @Test mutating func aFixOnTheWayToATargetIsNew() throws {
    state.show(location(at: 0))
    state.show(ordered(true))
    state.pauseTime = monotonicSeconds() - 100
    state.show(location(at: 1))
    #expect(try age() < 0.01)
    // The pause from before that fix does not count for it.
    state.show(ordered(false))
    #expect(try #require(state.fixTime) <= monotonicSeconds())
  }

  /// Fixes may be out of order after that, which is not another return.
  @Test mutating func eachReturnBeginsTheTrailOnce() {
    func pass(_ second: Double) -> Bool {
      let beginsAgain = state.beginsTrailAgain(at: location(at: second))
      state.trail.append(location(at: second))
      return beginsAgain
    }
    state.show(control.state)
    #expect([0, 10, 5].map(pass) == [false, false, false])
    for _ in 0..<2 {
      control.reportReturn()
      state.show(control.state)
      #expect([20, 2, 12, 8].map(pass) == [false, true, false, false])
      #expect(state.trail.points.count >= 2)
    }
  }
}
