import Foundation
import LocationKit
import TestSupport
import Testing
import Tracks

@Suite(.inTurn) struct PositionHoldTests {
  private func held(_ fixes: [Location], radius: Double = 20) -> [Location] {
    var hold = PositionHold(radius: radius)
    return fixes.map { hold.update($0) }
  }

  private func distance(_ fixes: [Location]) -> Double {
    zip(fixes, fixes.dropFirst()).reduce(0) { $0 + $1.1.distance(from: $1.0) }
  }

  /// Receivers of three kinds, each for six hours; without the hold the ways add up to kilometres.
  @Test(arguments: [(1, 2.0), (2, 3.0), (3, 4.0), (4, 4.0)] as [(UInt64, Double)])
  func longRestIsNoWay(seed: UInt64, noise: Double) {
    var drive = Drive(seed: seed, noise: noise)
    drive.park(runsLongTests ? 86_400 : 21_600)
    let held = held(drive.fixes)
    #expect(distance(drive.fixes) > 5000)
    #expect(distance(held) < 20, "\(distance(held))")
    #expect(held.count == drive.fixes.count)
    #expect(held.dropFirst().allSatisfy { $0.isHeld })
  }

  /// A night of errors of 12 m, each for itself or lasting for a minute, with and without a reported speed.
  @Test(arguments: [(true, true, 30), (true, false, 30), (false, true, 30)])
  func aNightOfNoiseIsNoMove(isWhite: Bool, reportsSpeed: Bool, limit: Int) {
    var drive = Drive(noise: isWhite ? 0 : 12)
    drive.reportsSpeed = reportsSpeed
    drive.drive(60, speed: 10, course: 0)
    drive.park(runsLongTests ? 8 * 3600 : 3 * 3600)
    var random = SplitMix(state: 1)
    let fixes = drive.fixes.map { fix in
      isWhite ? fix.moved(east: 12 * random.normal(), north: 12 * random.normal()) : fix
    }
    let steps = held(fixes).dropFirst(180).count { !$0.isHeld }
    #expect(steps <= limit, "\(steps) steps")
  }

  @Test(arguments: [true, false]) func aWalkIsFollowed(reportsSpeed: Bool) {
    var drive = Drive(noise: 2)
    drive.reportsSpeed = reportsSpeed
    drive.park(600)
    drive.drive(300, speed: 1, course: 90)
    let pairs = zip(drive.fixes, held(drive.fixes))
    let farthest = pairs.map { $0.distance(from: $1) }.max() ?? 0
    #expect(farthest > 20 && farthest < 35, "\(farthest)")
  }

  @Test func aClockThatIsSetBackDoesNotKeepItMoving() {
    var drive = Drive(noise: 0)
    drive.drive(60, speed: 10, course: 90)
    drive.park(60)
    var fixes = drive.fixes
    for index in fixes.indices where index >= 70 { fixes[index].timestamp? -= 6e8 }
    #expect(held(fixes).last?.isHeld == true)
  }

  /// The clock is set back by an hour when the receiver has just left.
  @Test func aClockThatIsSetBackDoesNotDelayAMove() {
    let rest = (0..<60).map { fix(Double($0)) }
    let away = [60] + (0..<5).map { Double($0) - 3600 }
    let isHeld = held(rest + away.map { fix($0, north: 200) }).map(\.isHeld)
    #expect(isHeld.suffix(6) == [true, true, true, true, false, false])
  }

  /// The mean of the fixes stays right when the clock is set back, so some seconds just outside the radius are no move.
  @Test func aClockThatIsSetBackMakesNoMove() {
    let rest = (0..<60).map { fix(Double($0)) }
    let beside = (0..<5).map { fix(Double($0) - 3600, north: 25) }
    #expect(held(rest + beside).dropFirst().allSatisfy { $0.isHeld })
  }

  /// A receiver that goes round in a small circle reports its speed.
  @Test func aReceiverThatReportsASpeedDoesNotComeToRest() {
    let rest = (0..<10).map { fix(Double($0)) }
    let circle = (10..<100).map { fix(Double($0), north: 200 + Double($0 % 3), speed: 5) }
    #expect(!held(rest + circle).suffix(80).contains { $0.isHeld })
  }

  @Test(arguments: 1...(runsLongTests ? 10 : 4))
  func aDriveKeepsItsLength(seed: Int) {
    var (noisy, quiet) = (Drive(seed: UInt64(seed)), Drive(seed: UInt64(seed), noise: 0))
    var dice = SplitMix(state: UInt64(seed))
    for _ in 0..<10 {
      let (seconds, course, wait) = (Double(60 + dice.next(60)), Double(dice.next(360)), Double(dice.next(90)))
      for speed in [2.0, 7, 14, 7, 2] {
        noisy.drive(seconds / 5, speed: speed, course: course)
        quiet.drive(seconds / 5, speed: speed, course: course)
      }
      noisy.wait(wait)
      quiet.wait(wait)
    }
    let (exact, without) = (distance(quiet.fixes), distance(held(quiet.fixes)))
    #expect(abs(without - exact) < exact * 0.005, "\(without) \(exact)")
    #expect(abs(distance(held(noisy.fixes)) - exact) < abs(distance(noisy.fixes) - exact))
  }

  @Test func aMoveIsReportedAfterThreeSeconds() {
    var drive = Drive(noise: 0)
    drive.park(60)
    drive.drive(30, speed: 10, course: 90)
    let held = held(drive.fixes)
    // The third fix of the drive is 30 m away, the first beyond the radius.
    #expect(held.dropFirst().firstIndex { !$0.isHeld } == 65)
    #expect(held[65...] == drive.fixes[65...])
  }

  /// Nor are two of them with a good one between them.
  @Test func aFixFarAwayIsNoMove() {
    var drive = Drive(noise: 0)
    drive.park(60)
    var fixes = drive.fixes
    for index in [40, 44] { fixes[index] = fixes[index].moved(east: 300) }
    #expect(distance(held(fixes)) == 0)
    // Fixes whose accuracy reaches back to the place are no move either.
    for index in 30..<60 {
      fixes[index] = drive.fixes[index].moved(east: 300)
      fixes[index].horizontalAccuracy = 301
    }
    #expect(distance(held(fixes)) == 0)
  }

  @Test func aLostFixEndsTheRest() {
    var drive = Drive(noise: 0)
    drive.park(2)
    var hold = PositionHold(radius: 20)
    _ = hold.update(drive.fixes[0])
    var far = drive.fixes[1].moved(east: 300)
    #expect(hold.update(far).coordinate == drive.fixes[0].coordinate)
    hold.reset()
    #expect(hold.update(far) == far)
    // A fix without a time is passed on.
    far.timestamp = nil
    #expect(hold.update(far) == far)
  }

  @Test(arguments: OthersTests.recordings) func aRealDriveKeepsItsLength(path: String) throws {
    let fixes = try #require(OthersTests.outcomes[path]).fixes
    let (with, without) = (summary(held(fixes)).statistics.distance, summary(fixes).statistics.distance)
    // The other recordings stay at one place; quectel-eg25-g jumps between two.
    let isDrive = without > 400 && !path.hasSuffix("quectel-eg25-g.log")
    if isDrive { #expect(abs(with - without) < without * 0.005, "\(with) \(without)") }
  }
}

extension Location {
  fileprivate var isHeld: Bool { sourceInformation?.isHeld == true }
}
