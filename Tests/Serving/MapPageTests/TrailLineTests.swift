import FoundationEssentials
import LocationKit
import TestSupport
import Testing

@testable import MapPage

@Suite(.inTurn) struct TrailLineTests {
  private let start = 1_700_000_000.0

  private func location(_ metres: Double, at time: Double?) -> Location {
    var location = Location(latitude: 50, longitude: metres / 111_195 / 0.642_787_609_7)
    location.timestamp = time.map { Date(timeIntervalSince1970: start + $0) }
    location.speed = 1
    return location
  }

  @Test func whatIsNearTheLastPointIsLeftOutUntilAMinuteIsOver() {
    var line = TrailLine()
    #expect(line.append(location(0, at: 0)) == .added)
    #expect(line.append(location(0.9, at: 1)) == .leftOut)
    #expect(line.append(location(1.1, at: 2)) == .added)
    #expect(line.append(location(1.1, at: 61)) == .leftOut)
    #expect(line.append(location(1.1, at: 62)) == .added)
    #expect(line.points.map(\.time) == [start, start + 2, start + 62])
  }

  @Test func aPointExactlyAMetreAwayIsOne() {
    let plane = LocalPlane(at: LocationCoordinate2D(latitude: 0, longitude: 0))
    var north = plane.coordinate(east: 0, north: 1)
    while plane.distance(to: north) < 1 { north.latitude = north.latitude.nextUp }
    while plane.distance(to: north) > 1 { north.latitude = north.latitude.nextDown }
    #expect(plane.distance(to: north) == 1)
    var nearer = north
    nearer.latitude = nearer.latitude.nextDown
    var line = TrailLine()
    #expect(line.append(Location(coordinate: plane.origin)) == .added)
    #expect(line.append(Location(coordinate: nearer)) == .leftOut)
    #expect(line.append(Location(coordinate: north)) == .added)
  }

  @Test func aLossIsABreakBeforeTheNextPoint() {
    var line = TrailLine()
    line.interrupt()
    #expect(line.append(location(0, at: 0)) == .added, "before the first point there is nothing to break")
    line.interrupt()
    line.interrupt()
    #expect(line.append(location(0.1, at: 1)) == .addedAfterBreak)
    #expect(line.append(location(0.2, at: 2)) == .leftOut)
    #expect(line.points.map(\.isAfterBreak) == [false, true])
  }

  @Test func aTimeThatGoesBackIsABreak() {
    var line = TrailLine()
    line.append(location(0, at: 20))
    line.append(location(100, at: 21))
    #expect(line.append(location(0, at: 11)) == .added, "the clocks of two receivers")
    line.append(location(100, at: 21))
    #expect(line.append(location(0, at: 10)) == .addedAfterBreak)
    #expect(line.append(location(100, at: 11)) == .added)
  }

  @Test func aDayAtTenHertzStaysWithinTheLimitAndKeepsItsBreaks() {
    var line = TrailLine()
    // 2 m a tenth of a second, and a loss each hour.
    for step in 0..<864_000 {
      if step % 36_000 == 18_000 { line.interrupt() }
      _ = line.append(location(Double(step % 100_000) * 2, at: Double(step) / 10))
      if line.points.count > 20_000 {
        Issue.record("\(line.points.count) points")
        break
      }
    }
    #expect(line.points.count > 5_000)
    #expect(line.points.count(where: \.isAfterBreak) == 24)
    // Nothing that is left is far from its neighbours but at a break, or where the way itself jumps.
    let gaps = zip(line.points, line.points.dropFirst()).filter { first, second in
      !second.isAfterBreak && second.time! - first.time! > 600
    }
    #expect(gaps.isEmpty)
  }

  @Test func breaksWithoutEndDoNotGrowWithoutEnd() {
    var line = TrailLine(limit: 100)
    for step in 0..<10_000 {
      line.interrupt()
      _ = line.append(location(Double(step), at: Double(step)))
    }
    #expect(line.points.count <= 100 && line.points.count >= 50)
    #expect(line.points.last?.time == start + 9999)
    #expect(line.points.first?.isAfterBreak == false)
  }

  @Test func anEarlierTrailComesFirst() {
    var earlier = TrailLine()
    var later = TrailLine()
    for step in 0..<3 { _ = earlier.append(location(Double(step) * 10, at: Double(step))) }
    for step in 10..<13 { _ = later.append(location(Double(step) * 10, at: Double(step))) }
    later.interrupt()
    var joined = later.following(earlier)
    #expect(joined.points.compactMap(\.time) == [0, 1, 2, 10, 11, 12].map { start + $0 })
    #expect(joined.points.map(\.isAfterBreak) == [false, false, false, false, false, false])
    #expect(joined.append(location(130, at: 13)) == .addedAfterBreak)
    #expect(TrailLine().following(earlier).points.count == 3)
    // What the later one has as well counts once.
    earlier.append(location(100, at: 10))
    #expect(later.following(earlier).points.count == 6)
    // A loss behind the earlier one is a break, also without a later one.
    earlier.interrupt()
    joined = TrailLine().following(earlier)
    #expect(joined.append(location(100.1, at: 11)) == .addedAfterBreak)
  }

  @Test func aTrailOfExactlyItsLimitIsNotThinned() {
    var line = TrailLine(limit: 10)
    for step in 0..<10 { line.append(location(Double(step) * 1.5, at: Double(step))) }
    #expect(line.points.count == 10 && line.spacing == 1)
    line.append(location(15, at: 10))
    #expect(line.points.count == 3 && line.spacing == 4)
    #expect(line.points.first?.time == start, "the beginning stays")
  }

  @Test func aTrailOfExactlyItsDurationAndAnHourIsKept() {
    var line = TrailLine(duration: 7200)
    // Points go an hour's worth at a time.
    for hour in 0..<4 { line.append(location(Double(hour) * 1000, at: Double(hour) * 3600)) }
    #expect(line.points.count == 4)
    line.append(location(4000, at: 3 * 3600 + 1))
    // What is exactly as old as the duration, to the second, is older.
    let times = line.points.compactMap { $0.time.map { $0 - start } }
    #expect(times == [7200, 10_800, 10_801])
  }

  @Test func aStepAcrossThe180thMeridianIsAsLongAsItIs() {
    var line = TrailLine()
    func place(_ longitude: Double) -> Location { Location(latitude: 0, longitude: longitude) }
    #expect(line.append(place(179.999_999)) == .added)
    // A fifth of a metre, and not around the earth; then 11 m.
    #expect(line.append(place(-179.999_999)) == .leftOut)
    #expect(line.append(place(-179.999_9)) == .added)
    #expect(line.append(place(180)) == .added)
    #expect(line.append(place(-180)) == .leftOut)
    #expect(line.points.count == 3 && !line.points.contains(where: \.isAfterBreak))
  }

  @Test func theTimeBetweenTwoRunsThatIsAGap() {
    func joined(after seconds: Double, interrupted: Bool = false) -> [Bool] {
      var (earlier, later) = (TrailLine(), TrailLine())
      earlier.append(location(0, at: 0))
      if interrupted { earlier.interrupt() }
      later.append(location(10, at: seconds))
      return later.following(earlier).points.map(\.isAfterBreak)
    }
    #expect(joined(after: 59.9) == [false, false])
    #expect(joined(after: 60) == [false, true])
    #expect(joined(after: 1, interrupted: true) == [false, true])
  }

  @Test func aTrailWithoutTimesIsADocumentToo() {
    var line = TrailLine()
    for latitude in [1.0, 2] { line.append(Location(latitude: latitude, longitude: 3)) }
    #expect(line.points.count == 2)
    let text = String(decoding: TrailDocument(points: line.points).json, as: UTF8.self)
    #expect(text.contains(#""coordTimes":[null,null],"speeds":[null,null]"#), "\(text)")
  }
}
