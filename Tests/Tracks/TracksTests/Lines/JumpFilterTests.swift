import Foundation
import LocationKit
import TestSupport
import Testing
import Tracks

@Suite(.inTurn) struct JumpFilterTests {
  private func filtered(_ events: [TrackEvent], maximumSpeed: Double = 60) -> (events: [TrackEvent], jumps: Int) {
    var filter = JumpFilter(maximumSpeed: maximumSpeed)
    return (events.passed(through: &filter), filter.jumpCount)
  }

  private func left(_ events: [TrackEvent], of fixes: [Location]) -> [Int] {
    let kept = Set(events)
    return fixes.indices.filter { kept.contains(.fix(fixes[$0])) }
  }

  private func drive(seed: Int, topSpeed: Int = 45) -> [Location] {
    var drive = Drive(seed: UInt64(seed))
    var dice = SplitMix(state: UInt64(seed))
    for _ in 0..<6 {
      drive.drive(Double(40 + dice.next(60)), speed: Double(dice.next(topSpeed)), course: Double(dice.next(360)))
      if dice.next(3) == 0 { drive.park(Double(dice.next(200))) }
    }
    return drive.fixes
  }

  @Test(arguments: 0..<30)
  func losesNothingOfACleanDrive(seed: Int) {
    let clean = drive(seed: seed).map(TrackEvent.fix)
    let found = filtered(clean)
    #expect((found.events.count, found.jumps) == (clean.count, 0))
  }

  /// Only fixes that may be jumps wait, until ten of them agree.
  @Test func aLiveFilterHoldsBackNoBeginning() {
    let fixes = drive(seed: 4)
    var filter = JumpFilter(maximumSpeed: 60, holdsBeginning: false)
    func events(_ event: TrackEvent) -> [TrackEvent] {
      var events: [TrackEvent] = []
      filter.add(event) { events.append($0) }
      return events
    }
    #expect(fixes.prefix(20).allSatisfy { events(.fix($0)) == [.fix($0)] })
    let far = fixes[20..<31].map { $0.moved(east: 5000) }
    // A single fix far away is a jump.
    #expect(events(.fix(far[0])) == [])
    #expect(events(.fix(fixes[21])) == [.fix(fixes[21])])
    #expect(filter.jumpCount == 1)
    // Ten in a row are no jumps.
    #expect(far[1...9].allSatisfy { events(.fix($0)) == [] })
    #expect(events(.fix(far[10])) == [.gap] + far[1...10].map(TrackEvent.fix))
    #expect(filter.jumpCount == 1)
    // After a gap, too, the first fix is passed on at once.
    #expect(events(.gap) == [.gap])
    #expect(events(.fix(fixes[40])) == [.fix(fixes[40])])
  }

  /// Too short for either place to be settled: the longer run is kept.
  @Test func aWrongFirstFixOfAShortTrackIsLeftOut() {
    var fixes = Array(drive(seed: 1).prefix(5))
    fixes[0] = fixes[0].moved(east: 5000)
    let found = filtered(fixes.map(TrackEvent.fix))
    #expect((left(found.events, of: fixes), found.jumps) == ([1, 2, 3, 4], 1))
  }

  @Test func aWrongFirstFixAfterAGapIsLeftOut() {
    var fixes = drive(seed: 1)
    fixes[50] = fixes[50].moved(east: 5000)
    let events = fixes.map(TrackEvent.fix)
    let found = filtered(events[..<50] + [.gap] + events[50...])
    #expect((left(found.events, of: fixes), found.jumps) == (fixes.indices.filter { $0 != 50 }, 1))
  }

  /// Teleports of 100 m to 100 km for one to five fixes, in the middle, at the first fix and at the last one.
  @Test(arguments: 0..<60)
  func removesTeleports(seed: Int) {
    let clean = drive(seed: seed, topSpeed: 25)
    var dice = SplitMix(state: UInt64(seed + 1000))
    var bad = clean
    var moved: Set<Int> = []
    var next = seed % 3 == 0 ? 0 : 10 + dice.next(10)
    while next < bad.count {
      let metres = 100 * pow(1000, Double(dice.next(1001)) / 1000) + 10
      let angle = Double(dice.next(360)) * .pi / 180
      for index in next..<min(bad.count, next + 1 + dice.next(5)) {
        bad[index] = bad[index].moved(east: metres * sin(angle), north: metres * cos(angle))
        moved.insert(index)
      }
      next += 20 + dice.next(60)
    }
    let found = filtered(bad.map(TrackEvent.fix), maximumSpeed: 50)
    #expect(!found.events.contains(.gap))
    #expect(left(found.events, of: bad) == clean.indices.filter { !moved.contains($0) })
    #expect(found.jumps == moved.count)
  }

  /// Between fixes 0.1 s apart the noise of positions is faster than anything that drives: a step counts for a second.
  @Test func fixesATenthOfASecondApartAreNoJumps() {
    var noisy = (0..<100).map { number in
      let metres = number * 3 + number % 2 * 20
      return fix(Double(number) / 10, east: Double(metres))
    }
    #expect(filtered(noisy.map(TrackEvent.fix), maximumSpeed: 50).jumps == 0)
    noisy[50] = noisy[50].moved(north: 200)
    #expect(filtered(noisy.map(TrackEvent.fix), maximumSpeed: 50).jumps == 1)
  }

  /// A receiver that sends an old place with every second or third fix, from the first one on.
  @Test(arguments: [(2, true), (2, false), (3, true)])
  func oldPlacesAreLeftOut(period: Int, holdsBeginning: Bool) {
    var drive = Drive(seed: 1)
    drive.park(100)
    let end = drive.fixes.count
    drive.drive(100, speed: 10, course: 90)
    var fixes = drive.fixes
    let old = moved(fixes[0].coordinate, east: 0, north: 5000)
    for index in stride(from: 0, to: fixes.count, by: period) { fixes[index].coordinate = old }
    var filter = JumpFilter(maximumSpeed: 60, holdsBeginning: holdsBeginning)
    var kept: [Location] = []
    for fix in fixes { filter.add(.fix(fix)) { kept += [$0.fix].compactMap(\.self) } }
    // The receiver is believed when it moves.
    let last = kept.lastIndex { $0.coordinate == old } ?? -1
    let time = last < 0 ? fixes[0].timestamp : kept[last].timestamp
    let seconds = time?.timeIntervalSince(fixes[0].timestamp ?? .distantPast) ?? -1
    #expect(seconds <= Double(end) + 45, "\(seconds)")
    #expect(zip(kept, kept.dropFirst()).allSatisfy { ($0.timestamp ?? .distantPast) < ($1.timestamp ?? .distantPast) })
    #expect(filter.jumpCount + kept.count >= fixes.count - 10)
  }

  /// Nor does the filter doubt the fixes after that one.
  @Test func aMovingReceiverIsBelievedAtItsTwentiethFixBetweenOldPlaces() {
    var filter = JumpFilter(maximumSpeed: 60, holdsBeginning: false)
    let events = (0..<50).map { second in
      let north = second % 2 == 0 && second < 40 ? 0 : 5000 + Double(second) * 10
      return TrackEvent.fix(fix(Double(second), north: north))
    }
    let old = stride(from: 0, to: 40, by: 2).map { events[$0] }
    #expect(events.passed(through: &filter) == old + [.gap] + events[39...])
  }

  @Test func aGapStartsAnew() {
    let clean = drive(seed: 4).map(TrackEvent.fix)
    let events = clean[..<3] + [.gap] + clean[100..<102] + [.gap, .gap] + clean[200...]
    let isUnchanged = filtered(Array(events)).events == Array(events)
    #expect(isUnchanged)
  }

  @Test func fixesWithoutATimeAndAClockThatWasSetPass() {
    var clean = drive(seed: 5)
    for index in clean.indices where index > 80 { clean[index].timestamp? -= 5000 }
    clean[30].timestamp = nil
    let events = clean.map(TrackEvent.fix)
    #expect(filtered(events).jumps == 0)
    #expect(filtered(events).events.count == events.count)
  }
}
