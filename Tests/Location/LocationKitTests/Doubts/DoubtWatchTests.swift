import Foundation
import TestSupport
import Testing

@testable import LocationKit

/// `RXLOCATIOND_DOUBTS=1 swift test --filter Doubt` prints the tables of the article "Doubtful fixes".
@Suite(.inTurn) struct DoubtWatchTests {
  private let isPrinting = ProcessInfo.processInfo.environment["RXLOCATIOND_DOUBTS"] != nil
  private let earliest = Date(timeIntervalSince1970: 1_795_000_000)

  /// A receiver that is watched.
  private struct Ride {
    var receiver = DoubtfulReceiver()
    var watch = DoubtWatch()
    /// How many satellites the watch is told of with each fix.
    var satellites = 0
    /// What changed, and when.
    var changes: [(second: Double, names: String)] = []
    /// The number of fixes, and of those in doubt.
    var fixes = 0
    var doubted = 0

    mutating func go(
      _ seconds: Double, speed: Double, turn: Double = 0, with change: (inout Location) -> Void = { _ in }
    ) {
      let end = receiver.now + seconds
      while receiver.now < end {
        if satellites > 0 { watch.update(Array(receiver.satellites().prefix(satellites))) }
        var fix = receiver.next(speed: speed, turn: turn)
        change(&fix)
        if watch.update(fix, at: receiver.now) { changes.append((receiver.now, watch.doubts.names)) }
        (fixes, doubted) = (fixes + 1, doubted + (watch.doubts.isEmpty ? 0 : 1))
      }
    }
  }

  /// Seconds from the beginning of a fault until the doubt; `nil` if it is not noticed within five minutes.
  private func delay(
    of doubt: Doubts, speed: Double = 0, accuracy: Double = 8, interval: Double = 1,
    _ fault: (inout DoubtfulReceiver) -> Void
  ) -> Double? {
    var ride = Ride(
      receiver: DoubtfulReceiver(interval: interval), watch: DoubtWatch(earliest: earliest), satellites: 12)
    ride.receiver.accuracy = accuracy
    ride.go(300, speed: speed)
    #expect(ride.changes.isEmpty, "without a fault")
    fault(&ride.receiver)
    while ride.receiver.now < 600 {
      ride.go(interval, speed: speed)
      if ride.watch.doubts.contains(doubt) { return ride.receiver.now - 300 }
    }
    return nil
  }

  private func report(_ what: String, _ delay: Double?) {
    report(what, delay.map { "\(Int($0.rounded())) s" } ?? "not noticed")
  }

  private func report(_ what: String, _ result: String) {
    if isPrinting { print("| \(what) | \(result) |") }
  }

  /// Expects of a fault that it is noticed in time, or not at all.
  private func check(
    _ what: String, _ doubt: Doubts, speed: Double = 0, _ isNoticed: Bool, within limit: Double = 60,
    _ fault: (inout DoubtfulReceiver) -> Void
  ) {
    let delay = delay(of: doubt, speed: speed, fault)
    report(what, delay)
    #expect((delay != nil) == isNoticed && (delay ?? 0) <= limit, "\(what): \(String(describing: delay))")
  }

  // MARK: Detection

  /// The position is dragged sideways from a parked car, and from one that drives; the speed stays the true one.
  @Test(
    arguments: [
      (0, 1, false), (0, 2, false), (0, 3, false), (0, 4, true), (0, 5, true), (0, 20, true),
      (14, 5, false), (14, 20, true), (14, 50, true),
    ] as [(Double, Double, Bool)])
  func aDraggedPosition(speed: Double, drag: Double, isNoticed: Bool) {
    let what = "position dragged away with \(Int(drag)) m/s at a speed of \(Int(speed)) m/s"
    check(what, speed == 0 ? .standstill : .speed, speed: speed, isNoticed) { $0.drag = drag }
  }

  @Test(arguments: [(1, false), (2, false), (4, true), (14, true), (40, true)] as [(Double, Bool)])
  func aPositionThatStandsStill(speed: Double, isNoticed: Bool) {
    check("position stuck at a speed of \(Int(speed)) m/s", .standstill, speed: speed, isNoticed) { $0.isStuck = true }
  }

  @Test(arguments: [(1.2, false), (1.5, true), (2, true), (4, true), (0.8, false), (0.5, true)] as [(Double, Bool)])
  func aSpeedThatIsWrong(factor: Double, isNoticed: Bool) {
    check("speed reported as \(factor) times 20 m/s", .speed, speed: 20, isNoticed) { $0.speedFactor = factor }
  }

  /// A jump that stays, at rest and on the way.
  @Test(
    arguments: [
      (0, 900, false), (0, 1100, true), (0, 210_000, true), (14, 900, false), (14, 1200, true), (40, 210_000, true),
    ] as [(Double, Double, Bool)])
  func aJumpThatStays(speed: Double, metres: Double, isNoticed: Bool) {
    let delay = delay(of: .speed, speed: speed) { $0.jump(metres) }
    report("position jumps by \(Int(metres)) m at a speed of \(Int(speed)) m/s", delay)
    #expect(delay == (isNoticed ? 21 : nil))
  }

  /// Weeks are what a receiver miscounts; a day is not judged.
  @Test(arguments: [(1, false), (7, true), (70, true), (-7168, true), (7168, true)] as [(Double, Bool)])
  func aWrongDate(days: Double, isNoticed: Bool) {
    check("date wrong by \(Int(days)) days", .date, isNoticed, within: 22) { $0.dateError = days * 86_400 }
  }

  @Test(arguments: [(5, false), (8, false), (12, true), (20, true)] as [(Double, Bool)])
  func signalsThatFallTogether(decibels: Double, isNoticed: Bool) {
    check("all signals weaker by \(Int(decibels)) dB", .signals, isNoticed, within: 22) { $0.signalLoss = decibels }
  }

  @Test(arguments: [(0.5, false), (0.2, false), (0.1, true), (0, true)] as [(Double, Bool)])
  func signalsThatAreAlike(variety: Double, isNoticed: Bool) {
    let what = "differences of the signals at \(variety) of the usual ones"
    check(what, .signals, isNoticed, within: 22) { $0.signalVariety = variety }
  }

  /// The limits follow the claimed accuracy, and hold for a slow and a fast receiver.
  @Test(arguments: [(2, 1), (8, 1), (20, 1), (8, 0.1), (8, 3)] as [(Double, Double)])
  func aStuckPositionAtAnyAccuracyAndRate(accuracy: Double, interval: Double) {
    let delay = delay(of: .standstill, speed: 14, accuracy: accuracy, interval: interval) { $0.isStuck = true }
    report("position stuck at 14 m/s, accuracy \(Int(accuracy)) m, a fix each \(interval) s", delay)
    #expect((delay ?? 99) <= 60)
  }

  // MARK: False alarms

  /// Days, or two hours without the table, with parking, drives through a town with stops and bends, motorways, walks and
  /// tunnels, for receivers of several accuracies; those of the last four claim too much.
  @Test(arguments: 1...12)
  func aDayWithoutAFault(seed: UInt64) {
    var ride = Ride(receiver: DoubtfulReceiver(seed: seed), watch: DoubtWatch(earliest: earliest), satellites: 12)
    ride.receiver.accuracy = [2, 3, 5, 8, 10, 15, 20, 30, 3, 5, 8, 15][Int(seed) - 1]
    if seed > 8 { ride.receiver.error = 1 }
    func uniform(_ range: ClosedRange<Double>) -> Double { ride.receiver.uniform(range) }
    while ride.receiver.now < (isPrinting ? 86_400 : 7200) {
      switch uniform(0...1) {
      case ..<0.3: ride.go(uniform(60...3600), speed: 0)
      case ..<0.7:
        for _ in 0..<20 {
          ride.go(uniform(5...40), speed: uniform(6...18), turn: uniform(-3...3))
          ride.go(6, speed: 5, turn: uniform(0...1) < 0.5 ? 15 : -15)
          if uniform(0...1) < 0.5 { ride.go(uniform(5...60), speed: 0) }
        }
      case ..<0.85: ride.go(uniform(300...1800), speed: uniform(22...40), turn: uniform(-0.5...0.5))
      case ..<0.95: ride.go(uniform(300...1200), speed: 1.4, turn: uniform(-10...10))
      default: ride.receiver.loseFix(uniform(5...120))
      }
    }
    let result = "\(ride.doubted) of \(ride.fixes)"
    report("a day, accuracy \(Int(ride.receiver.accuracy)) m, errors \(ride.receiver.error) of that", result)
    #expect(ride.doubted * 10_000 <= ride.fixes, "\(result)")
  }

  // MARK: Rules

  @Test func aDoubtEndsWithItsSign() {
    var ride = Ride()
    ride.go(120, speed: 14)
    #expect(ride.changes.isEmpty)
    ride.receiver.isStuck = true
    ride.go(120, speed: 14)
    #expect(ride.changes.map(\.names) == ["standstill"])
    ride.receiver.isStuck = false
    ride.go(120, speed: 14)
    #expect(ride.changes.map(\.names) == ["standstill", ""])
  }

  private func fix(at time: Date) -> Location {
    Location(coordinate: LocationCoordinate2D(latitude: 48, longitude: 11), timestamp: time)
  }

  /// Five fixes and twenty seconds, the first fix with the sign and the last one included.
  @Test(arguments: [(5.0, 5), (4.9, 6), (6, 5), (30, 5)])
  func aDoubtNeedsFiveFixesAndTwentySeconds(interval: Double, fixes: Int) {
    var watch = DoubtWatch(earliest: earliest)
    let first = (1...20).first { number in
      return watch.update(fix(at: earliest - 1), at: Double(number) * interval)
    }
    #expect(first == fixes)
  }

  /// The exact bounds of possible dates.
  @Test(arguments: [(-1, true), (0, false), (1024 * 604_800 - 1, false), (1024 * 604_800, true)] as [(Double, Bool)])
  func theBoundsOfDates(seconds: Double, isImpossible: Bool) {
    var watch = DoubtWatch(earliest: earliest)
    for second in 0..<30 {
      _ = watch.update(fix(at: earliest + seconds), at: Double(second))
    }
    #expect(watch.doubts == (isImpossible ? .date : []))
  }

  /// Doubts end when the receiver jumps back, or after ten minutes at the new place. A second jump counts like the first.
  @Test func aJumpEndsBackAtItsStartOrAfterTenMinutes() {
    var ride = Ride()
    ride.go(100, speed: 14)
    for (metres, seconds) in [(5000.0, 200.0), (-5000, 100), (5000, 1000)] {
      ride.receiver.jump(metres)
      ride.go(seconds, speed: 14)
    }
    #expect(ride.changes.map(\.names) == ["speed", "", "speed", ""])
    // After the jump back, the window of the motion is a sign for ten more seconds.
    #expect(ride.changes.map(\.second) == [121, 331, 421, 1021])
  }

  /// The clock of a source may be set back. A doubt begins and ends as soon as it would without that.
  @Test func timeThatGoesBackDelaysNoDoubt() {
    var watch = DoubtWatch(earliest: earliest)
    for second in 5000..<5010 { _ = watch.update(fix(at: earliest - 1), at: Double(second)) }
    #expect((1...100).first { watch.update(fix(at: earliest - 1), at: Double($0)) } == 21)

    var (receiver, jumps) = (DoubtfulReceiver(), DoubtWatch())
    func go(_ seconds: Int, hoursAhead: Double) {
      for _ in 0..<seconds { _ = jumps.update(receiver.next(speed: 0), at: receiver.now + hoursAhead * 3600) }
    }
    go(100, hoursAhead: 1)
    receiver.jump(5000)
    go(50, hoursAhead: 1)
    #expect(jumps.doubts == .speed)
    go(50, hoursAhead: 0)
    #expect(jumps.doubts.isEmpty)
  }

  /// After a loss of the fix the receiver may have been moved by the fastest vehicle, but not further.
  @Test(arguments: [(60, 20_000, false), (60, 22_000, true), (7200, 1_000_000, false)] as [(Double, Double, Bool)])
  func aJumpDuringALoss(seconds: Double, metres: Double, isNoticed: Bool) {
    var ride = Ride()
    ride.go(100, speed: 0)
    ride.receiver.loseFix(seconds)
    ride.receiver.jump(metres)
    ride.go(100, speed: 0)
    #expect(ride.watch.doubts == (isNoticed ? .speed : []))
  }

  /// After a jump and a loss of the fix, the receiver may be wherever the fastest vehicle brings it from its true place.
  @Test(arguments: [(20_000, false), (22_000, true)] as [(Double, Bool)])
  func aJumpEndsWhereTheReceiverCanBeAfterALoss(metres: Double, lasts: Bool) {
    var ride = Ride()
    ride.go(100, speed: 0)
    ride.receiver.jump(210_000)
    ride.go(50, speed: 0)
    #expect(ride.watch.doubts == .speed)
    ride.receiver.loseFix(60)
    ride.receiver.jump(metres - 210_000)
    ride.go(50, speed: 0)
    #expect(ride.watch.doubts == (lasts ? .speed : []))
  }

  /// A jump and a short fault are noise.
  @Test func aShortFaultIsNoDoubt() {
    var ride = Ride()
    for second in 0..<600 {
      ride.receiver.isStuck = second % 60 >= 48
      ride.receiver.drag = second % 60 == 20 ? 300 : 0
      ride.go(1, speed: 14)
    }
    #expect(ride.changes.isEmpty)
  }

  /// A receiver that runs in circles comes back to where it was.
  @Test func aCircleIsNoStandstill() {
    var ride = Ride()
    ride.go(600, speed: 10, turn: 36)
    #expect(ride.changes.isEmpty)
  }

  /// Without a speed, an accuracy or a time there is nothing to compare.
  @Test func unknownValuesAreNotJudged() {
    for forget in [{ $0.speed = nil }, { $0.horizontalAccuracy = nil }, { $0.timestamp = nil }]
      as [@Sendable (inout Location) -> Void]
    {
      var ride = Ride(watch: DoubtWatch(earliest: earliest))
      ride.go(60, speed: 14, with: forget)
      ride.receiver.isStuck = true
      ride.go(240, speed: 14, with: forget)
      #expect(ride.changes.isEmpty)
    }
  }

  /// The right date after a wrong one is no jump, and a new date counts after some time.
  @Test func aDateBecomesRight() {
    var ride = Ride(watch: DoubtWatch(earliest: earliest))
    for (weeks, seconds) in [(-1024.0, 100.0), (0, 100), (1, 1000), (4, 100)] {
      ride.receiver.dateError = weeks * 604_800
      ride.go(seconds, speed: 0)
    }
    // Another jump is judged like the first.
    #expect(ride.changes.map(\.names) == ["date", "", "date", "", "date"])
    #expect(ride.changes.map { $0.second > 100 } == [false, true, true, true, true])
    #expect(ride.changes.map { $0.second > 200 } == [false, false, true, true, true])
    #expect(ride.changes.map { $0.second > 1200 } == [false, false, false, false, true])
  }

  @Test func datesAreNotJudgedWithoutALimit() {
    var ride = Ride()
    ride.go(100, speed: 0)
    ride.receiver.dateError = -1e9
    ride.go(200, speed: 0)
    #expect(ride.changes.isEmpty)
  }

  @Test func theSourcesSignsLast() {
    var ride = Ride()
    ride.go(30, speed: 0) { $0.sourceInformation = LocationSourceInformation(signs: []) }
    ride.go(70, speed: 0) { $0.sourceInformation = LocationSourceInformation(signs: [.receiver, .receivers]) }
    #expect(ride.changes.first?.second == 51)
    #expect(ride.watch.doubts == [.receiver, .receivers])
  }

  /// Six signals can be alike, and four can fall together. Fewer cannot be compared, so they end a suspicion.
  @Test(arguments: [(6, true, true), (5, true, false), (4, false, true), (3, false, false)])
  func fewSignals(count: Int, areAlike: Bool, areNoticed: Bool) {
    var ride = Ride(satellites: 12)
    ride.go(100, speed: 0)
    if areAlike { ride.receiver.signalVariety = 0 } else { ride.receiver.signalLoss = 15 }
    ride.satellites = count
    ride.go(60, speed: 0)
    #expect(ride.watch.doubts == (areNoticed ? .signals : []))
    ride.satellites = 3
    ride.go(60, speed: 0)
    #expect(ride.watch.doubts.isEmpty)
  }

  /// What disagreed before a gap says nothing after it.
  @Test func aGapEndsASign() {
    var ride = Ride()
    ride.receiver.isStuck = true
    ride.go(100, speed: 14)
    #expect(ride.watch.doubts == .standstill)
    for _ in 0..<10 {
      ride.receiver.loseFix(9)
      ride.go(1, speed: 14)
    }
    #expect(ride.watch.doubts.isEmpty)
    // Nor does it explain the step to the right place.
    ride.receiver.isStuck = false
    ride.go(30, speed: 14)
    #expect(ride.watch.doubts == .speed)
  }

  /// Nor does a standstill before fixes without a speed explain the step to the right place.
  @Test func fixesWithoutASpeedEndASign() {
    var ride = Ride()
    ride.receiver.isStuck = true
    ride.go(200, speed: 14)
    ride.go(3, speed: 14) { $0.speed = nil }
    ride.receiver.isStuck = false
    ride.go(30, speed: 14)
    #expect(ride.watch.doubts == .speed)
  }

  @Test func namesAndSentences() {
    #expect(Doubts.all.count == 6)
    let all = Doubts(Doubts.all)
    #expect(all.names == "speed standstill date receivers signals receiver")
    #expect(Doubts(names: all.names) == all)
    #expect(Doubts(names: "date from the future") == .date)
    #expect(Doubts().names.isEmpty && Doubts().sentences.isEmpty)
    #expect(Set(all.sentences).count == 6)
  }
}
