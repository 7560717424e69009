import FoundationEssentials

/// Finds reasons to doubt fixes. It has no clock, so that the same fixes at the same times give the same doubts.
///
/// A fix alone is no reason, because noise has every shape. A doubt begins when its sign has been there for some seconds
/// and fixes, and ends when the sign has been gone for as long.
struct DoubtWatch: Sendable {
  /// The seconds and the number of fixes for which a sign has to last.
  private static let lasting = (seconds: 20.0, fixes: 5)
  /// Dates before this one are impossible, and so are those 1024 weeks later; without it dates are not judged.
  private let earliest: Date?

  /// The doubts that were found here, and those that the source of the fixes has found, which count at once.
  var doubts: Doubts { found.union(given) }
  private var found: Doubts = []
  private var given: Doubts = []
  private var motion = MotionCheck()
  private var jump = JumpCheck()
  private var date = DateCheck()
  private var signals = SignalCheck()
  /// For each doubt whether its sign has changed, since when, and for how many fixes.
  private var changes = [(since: Double, fixes: Int)?](repeating: nil, count: Doubts.all.count)
  private var changing: Doubts = []

  init(earliest: Date? = nil) { self.earliest = earliest }

  mutating func update(_ satellites: [Satellite]) { signals.update(satellites) }

  /// Takes a fix at `now` on the source's clock. Returns whether the doubts have changed.
  mutating func update(_ fix: Location, at now: Double) -> Bool {
    let before = doubts
    given = fix.doubts ?? []
    let wasStuck = motion.sign.contains(.standstill)
    var signs = motion.update(fix)
    if jump.update(fix, at: now, wasStuck: wasStuck) { signs.insert(.speed) }
    signs.formUnion(fix.sourceInformation?.signs ?? [])
    if signals.isSuspicious { signs.insert(.signals) }
    if let earliest, let time = fix.timestamp, date.isImpossible(time, earliest: earliest, at: now) {
      signs.insert(.date)
    }
    let different = signs.symmetricDifference(found)
    if different.isEmpty && changing.isEmpty { return doubts != before }
    changing = different
    var changed: Doubts = []
    for (index, doubt) in Doubts.all.enumerated() {
      guard different.contains(doubt) else {
        changes[index] = nil
        continue
      }
      // The time may go back.
      let change = (since: min(changes[index]?.since ?? now, now), fixes: (changes[index]?.fixes ?? 0) + 1)
      changes[index] = change
      if now - change.since >= Self.lasting.seconds && change.fixes >= Self.lasting.fixes { changed.insert(doubt) }
    }
    found.formSymmetricDifference(changed)
    return doubts != before
  }
}

/// A fix whose speed and accuracy are known.
private struct Point {
  let coordinate: LocationCoordinate2D
  let accuracy: LocationAccuracy
  let speed: LocationSpeed
  let time: Double

  init?(_ fix: Location, at time: Double?) {
    guard let time, let speed = fix.speed, let accuracy = fix.horizontalAccuracy else { return nil }
    (coordinate, self.accuracy, self.speed, self.time) = (fix.coordinate, accuracy, speed, time)
  }
}

/// Compares the reported speed with the way between the positions, in windows of some seconds.
private struct MotionCheck {
  /// The seconds and the number of fixes of a window.
  private static let window = (seconds: 10.0, fixes: 4)
  /// Seconds between two fixes; after a longer step the way is unknown.
  private static let longestStep = 5.0
  /// Metres per second, in place of an unknown accuracy of the speed.
  private static let speedAccuracy = 1.0
  /// Metres per second; a receiver at rest reports less.
  private static let restingSpeed = 1.0

  private struct Window {
    let start: Point
    let plane: LocalPlane
    var last: Point
    /// Metres east and north of the start.
    var position = (east: 0.0, north: 0.0)
    /// Metres, by the reported speed and from fix to fix.
    var reported = 0.0
    var travelled = 0.0
    var fixes = 1

    init(at point: Point) { (start, last, plane) = (point, point, LocalPlane(at: point.coordinate)) }

    mutating func add(_ point: Point) {
      let (east, north) = plane.position(of: point.coordinate)
      let step = (east - position.east, north - position.north)
      travelled += (step.0 * step.0 + step.1 * step.1).squareRoot()
      reported += (last.speed + point.speed) / 2 * (point.time - last.time)
      (position, last, fixes) = ((east, north), point, fixes + 1)
    }

    /// What disagrees in the window; `nil` while it is not complete.
    func sign(_ speedAccuracy: LocationSpeedAccuracy) -> Doubts? {
      let seconds = last.time - start.time
      guard seconds >= MotionCheck.window.seconds, fixes >= MotionCheck.window.fixes else { return nil }
      let distance = (position.east * position.east + position.north * position.north).squareRoot()
      let accuracy = start.accuracy + last.accuracy
      // A fifth for bends between two fixes and for the receiver's own filters.
      let tolerance = accuracy + speedAccuracy * seconds + max(distance, reported) / 5
      // A receiver that turns comes back, so only the way straight on can be too long, and only the whole way too short.
      if distance > reported + tolerance { return reported < MotionCheck.restingSpeed * seconds ? .standstill : .speed }
      if reported > travelled + tolerance { return travelled < accuracy ? .standstill : .speed }
      return []
    }
  }

  private var window: Window?
  /// Of the last complete window.
  private(set) var sign: Doubts = []

  mutating func update(_ fix: Location) -> Doubts {
    guard let point = Point(fix, at: fix.timestamp?.timeIntervalSinceReferenceDate) else {
      (window, sign) = (nil, [])
      return []
    }
    guard let last = window?.last, (0...Self.longestStep).contains(point.time - last.time) else {
      (window, sign) = (Window(at: point), [])
      return []
    }
    // The rest of the same epoch.
    if point.time == last.time { return sign }
    window?.add(point)
    if let found = window?.sign(fix.speedAccuracy ?? Self.speedAccuracy) {
      sign = found
      window = Window(at: point)
    }
    return sign
  }
}

/// Finds a single step that neither the speed nor the accuracies explain. Such a fault can come and stay while the
/// receiver is at rest.
private struct JumpCheck {
  /// Metres beyond what the speed and the accuracies explain.
  private static let margin = 1000.0
  /// The seconds after which the new place counts as right.
  private static let settling = 600.0
  /// Seconds between two fixes; after a longer step the reported speeds say nothing.
  private static let longestStep = 5.0
  /// Metres per second, in place of the reported speeds after a longer step: faster than aeroplanes that carry people.
  private static let unknownSpeed = 340.0

  private var last: Point?
  /// The fix before the jump, the time of the jump, and the metres at the reported speed since then.
  private var jump: (start: Point, time: Double, way: Double)?

  /// Takes a fix at `now`. Returns whether it is at a place to which the receiver has jumped. After a position that was
  /// stuck, a step makes up for the way since.
  mutating func update(_ fix: Location, at now: Double, wasStuck: Bool) -> Bool {
    guard let point = Point(fix, at: now) else { return jump != nil }
    defer { last = point }
    guard let last else { return false }
    let seconds = max(0, now - last.time)
    let isLong = seconds > Self.longestStep
    jump?.way += (isLong ? Self.unknownSpeed : point.speed) * seconds
    if isJump(from: last, to: point, (isLong ? Self.unknownSpeed : max(last.speed, point.speed)) * seconds) {
      // A jump back to where the receiver can be by now ends it.
      if let jump {
        if !isJump(from: jump.start, to: point, jump.way) { self.jump = nil }
      } else if !wasStuck {
        jump = (last, now, 0)
      }
    }
    if let jump, !(0..<Self.settling).contains(now - jump.time) { self.jump = nil }
    return jump != nil
  }

  private func isJump(from start: Point, to end: Point, _ way: LocationDistance) -> Bool {
    start.coordinate.distance(from: end.coordinate) > way + start.accuracy + end.accuracy + Self.margin
  }
}

/// Judges dates: too early and too late ones, and jumps of half a week or more, because a wrong count of weeks is wrong by
/// whole ones.
private struct DateCheck {
  /// The seconds after which a receiver's count of weeks repeats.
  private static let rollover = 1024 * 604_800.0
  private static let jump = 302_400.0
  /// The seconds after which a new date counts as right.
  private static let settling = 600.0
  /// The receiver's time minus the source's clock, and since when it has jumped.
  private var offset: Double?
  private var jumpedSince: Double?

  mutating func isImpossible(_ time: Date, earliest: Date, at now: Double) -> Bool {
    if time < earliest || time >= earliest + Self.rollover { return true }
    let current = time.timeIntervalSinceReferenceDate - now
    if let offset, abs(current - offset) >= Self.jump {
      let since = min(jumpedSince ?? now, now)
      jumpedSince = since
      if now - since < Self.settling { return true }
    }
    (offset, jumpedSince) = (current, nil)
    return false
  }
}

/// Compares the signals of the satellites with each other, and with those of the last minute.
private struct SignalCheck {
  /// dB-Hz.
  private static let fall = 10.0
  private static let alike = 1.0
  private static let usualSpread = 3.0
  /// The reports before the first judgement.
  private static let learning = 30.0
  /// The weights of a new report in the usual values. Suspicious ones count as well, because an antenna may be replaced.
  private static let weights = (usual: 1 / 60.0, suspicious: 1 / 600.0)

  private(set) var isSuspicious = false
  private var reports = 0.0
  private var usual = (mean: 0.0, spread: 0.0)

  mutating func update(_ satellites: [Satellite]) {
    var (count, sum, squares) = (0.0, 0.0, 0.0)
    for case let signal? in satellites.lazy.map(\.signal) where signal > 0 {
      (count, sum, squares) = (count + 1, sum + signal, squares + signal * signal)
    }
    guard count >= 4 else { return isSuspicious = false }
    let mean = sum / count
    let spread = max(0, squares / count - mean * mean).squareRoot()
    let isAlike = count >= 6 && spread < Self.alike && usual.spread > Self.usualSpread
    isSuspicious = reports >= Self.learning && (isAlike || mean < usual.mean - Self.fall)
    reports += 1
    let weight = isSuspicious ? Self.weights.suspicious : max(Self.weights.usual, 1 / reports)
    usual.mean += (mean - usual.mean) * weight
    usual.spread += (spread - usual.spread) * weight
  }
}
