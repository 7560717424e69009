import Foundation
import LocationKit
import Testing
import Tracks

@Suite struct JumpFilterTests {
  private func filtered(_ events: [TrackEvent], maximumSpeed: Double = 60) -> (events: [TrackEvent], jumps: Int) {
    var filter = JumpFilter(maximumSpeed: maximumSpeed)
    return (events.passed(through: &filter), filter.jumpCount)
  }

  /// The indices of `fixes` that are left.
  private func left(_ events: [TrackEvent], of fixes: [Location]) -> [Int] {
    let kept = Set(events)
    return fixes.indices.filter { kept.contains(.fix(fixes[$0])) }
  }

  private func drive(seed: Int, topSpeed: Int = 45) -> [Location] {
    var drive = Drive(seed: UInt64(seed))
    var dice = Dice(seed)
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
    #expect(found.events.count == clean.count)
    #expect(found.jumps == 0)
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
    let far = fixes[20..<31].map { fix in
      var fix = fix
      fix.coordinate = moved(fix.coordinate, east: 5000, north: 0)
      return fix
    }
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
    fixes[0].coordinate = TracksTests.moved(fixes[0].coordinate, east: 5000, north: 0)
    let found = filtered(fixes.map(TrackEvent.fix))
    #expect(left(found.events, of: fixes) == [1, 2, 3, 4])
    #expect(found.jumps == 1)
  }

  /// Teleports of 100 m to 100 km for one to five fixes, in the middle, at the first fix and at the last one.
  @Test(arguments: 0..<60)
  func removesTeleports(seed: Int) {
    let clean = drive(seed: seed, topSpeed: 25)
    var dice = Dice(seed + 1000)
    var bad = clean
    var moved: Set<Int> = []
    var next = seed % 3 == 0 ? 0 : 10 + dice.next(10)
    while next < bad.count {
      let metres = 100 * pow(1000, Double(dice.next(1001)) / 1000) + 10
      let angle = Double(dice.next(360)) * .pi / 180
      for index in next..<min(bad.count, next + 1 + dice.next(5)) {
        bad[index].coordinate = TracksTests.moved(
          bad[index].coordinate, east: metres * sin(angle), north: metres * cos(angle))
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
    let start = LocationCoordinate2D(latitude: 48.1, longitude: 11.6)
    let noisy = (0..<100).map { number in
      let noise: Double = number % 2 == 0 ? 0 : 20
      let coordinate = TracksTests.moved(start, east: Double(number * 3) + noise, north: 0)
      let time = 1_750_000_000 + Double(number) / 10
      return Location(coordinate: coordinate, timestamp: Date(timeIntervalSince1970: time))
    }
    #expect(filtered(noisy.map(TrackEvent.fix), maximumSpeed: 50).jumps == 0)
    var far = noisy
    far[50].coordinate = TracksTests.moved(far[50].coordinate, east: 0, north: 200)
    #expect(filtered(far.map(TrackEvent.fix), maximumSpeed: 50).jumps == 1)
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
    for fix in fixes {
      filter.add(.fix(fix)) { event in
        if case .fix(let fix) = event { kept.append(fix) }
      }
    }
    // The receiver is believed when it moves.
    let last = kept.lastIndex { $0.coordinate == old } ?? -1
    let time = last < 0 ? fixes[0].timestamp : kept[last].timestamp
    let seconds = time?.timeIntervalSince(fixes[0].timestamp ?? .distantPast) ?? -1
    #expect(seconds <= Double(end) + 45, "\(seconds)")
    #expect(zip(kept, kept.dropFirst()).allSatisfy { ($0.timestamp ?? .distantPast) < ($1.timestamp ?? .distantPast) })
    #expect(filter.jumpCount + kept.count >= fixes.count - 10)
  }

  @Test func aMovingReceiverIsBelievedAtItsTwentiethFixBetweenOldPlaces() {
    var filter = JumpFilter(maximumSpeed: 60, holdsBeginning: false)
    var kept: [Double] = []
    for second in 0..<60 {
      let latitude = second % 2 == 0 ? 48 : 48.05 + Double(second) / 10_000
      let fix = Location(
        coordinate: LocationCoordinate2D(latitude: latitude, longitude: 11),
        timestamp: Date(timeIntervalSince1970: Double(second)))
      filter.add(.fix(fix)) { event in
        if case .fix(let fix) = event { kept.append(fix.coordinate.latitude) }
      }
    }
    #expect(kept.prefix(20).allSatisfy { $0 == 48 } && kept.dropFirst(20).first == 48.05 + 39 / 10_000, "\(kept)")
  }

  /// Nor does the filter doubt the fixes after that one.
  @Test func aReceiverThatIsBelievedIsFollowedAtOnce() {
    var filter = JumpFilter(maximumSpeed: 60, holdsBeginning: false)
    let events = (0..<50).map { second in
      let north = second % 2 == 0 && second < 40 ? 0 : 5000 + Double(second) * 10
      return TrackEvent.fix(fix(Double(second), north: north))
    }
    let kept = events.passed(through: &filter)
    #expect(Array(kept.suffix(12)) == [.gap] + Array(events[39...]))
  }

  @Test func aPlaceThatLastsIsBelievedAfterAGap() {
    let clean = drive(seed: 3)
    let far = clean.indices.map { index in
      var fix = clean[index]
      if index >= 50 { fix.coordinate = TracksTests.moved(fix.coordinate, east: 30_000, north: 0) }
      return TrackEvent.fix(fix)
    }
    let found = filtered(far)
    let isAsExpected = found.events == far[..<50] + [.gap] + far[50...]
    #expect(isAsExpected)
    #expect(found.jumps == 0)
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
