import Foundation
import TestSupport
import Testing

@testable import LocationKit

/// Hundreds of trips from a hidden home and back, and readers that look for the home in all that they were told.
@Suite(.inTurn) struct HiddenHomeTests {
  /// Metres east and north of a crossing of streets.
  private typealias Point = SIMD2<Double>

  /// All that a destination was told: the visible part of each way from the home and to it.
  private struct Told {
    var starts: [Point] = []
    var ends: [Point] = []
    /// The first and the last part of what is visible of a way, as a place and the place some seconds away from home.
    var lines: [(place: Point, outwards: Point)] = []
    var all: [Point] = []
    /// The places before and after each silence, with its seconds.
    var silences: [(before: Point, after: Point, seconds: Double)] = []
  }

  /// A town with streets every 80 metres.
  private struct Town {
    static let street = 80.0
    static let plane = LocalPlane(at: LocationCoordinate2D(latitude: 48.1, longitude: 11.5))
    var random: SplitMix

    /// The corners of a way: random turns near home, then street by street in the direction of the destination.
    mutating func way(from home: Point, to destination: Point) -> [Point] {
      var place = Point((home.x / Self.street).rounded(.down) * Self.street, home.y)
      if Bool.random(using: &random) { place.x += Self.street }
      var corners = [home, place]
      var last = Point(0, 0)
      for _ in 0..<Int.random(in: 0...6, using: &random) {
        let turns = [Point(1, 0), Point(-1, 0), Point(0, 1), Point(0, -1)].filter { $0 != -last }
        last = turns[Int.random(in: 0..<turns.count, using: &random)]
        place += last * Self.street
        corners.append(place)
      }
      var blocks = ((destination - place) / Self.street).rounded(.toNearestOrAwayFromZero)
      // What is farther away says no more about the home.
      while blocks != .zero, corners.count < 32 {
        let (east, north) = (abs(blocks.x), abs(blocks.y))
        let step =
          .random(in: 0..<1, using: &random) < east / (east + north)
          ? Point(blocks.x.sign == .minus ? -1 : 1, 0) : Point(0, blocks.y.sign == .minus ? -1 : 1)
        blocks -= step
        place += step * Self.street
        corners.append(place)
      }
      return corners
    }
  }

  /// Drives trips to some places, one after the other, and returns what a destination with this zone is told.
  private func told(trips: Int, places count: Int, home: Point, zone: HiddenZone, seed: UInt64) -> Told {
    var town = Town(random: SplitMix(state: seed))
    let places = (0..<count).map { _ in
      let (angle, distance) = (
        Double.random(in: 0..<2 * .pi, using: &town.random), Double.random(in: 2500...6000, using: &town.random)
      )
      return Point(cos(angle), sin(angle)) * distance
    }
    let (speed, period) = (8.0, 4.0)
    var filter = PrivacyFilter(PrivacyPolicy(hiding: [zone]))
    var told = Told()
    var time = 0.0
    var lastSeen: (place: Point, time: Double)?

    /// The visible fixes of a way, which the receiver's noise moves.
    func drive(_ corners: [Point]) -> [Point] {
      var seen: [Point] = []
      for (from, to) in zip(corners, corners.dropFirst()) {
        let length = ((to - from) * (to - from)).sum().squareRoot()
        for metres in stride(from: 0, to: length, by: speed * period) {
          time += period
          let place = from + (to - from) * (metres / length) + Point(town.random.normal(), town.random.normal()) * 5
          let location = Location(
            coordinate: Town.plane.coordinate(east: place.x, north: place.y), speed: speed,
            timestamp: Date(timeIntervalSince1970: time))
          guard case .location(let told) = filter.disclose(location) else { continue }
          let position = Town.plane.position(of: told.coordinate)
          seen.append(Point(position.east, position.north))
        }
      }
      return seen
    }

    for _ in 0..<trips {
      let place = places[Int.random(in: 0..<places.count, using: &town.random)]
      let out = drive(town.way(from: home, to: place))
      if let first = out.first, let lastSeen { told.silences.append((lastSeen.place, first, time - lastSeen.time)) }
      if out.count > 4 {
        told.starts.append(out[0])
        told.lines.append((out[0], out[2]))
      }
      time += .random(in: 600...20_000, using: &town.random)
      let back = drive(town.way(from: home, to: place).reversed())
      if back.count > 4 {
        told.ends.append(back[back.count - 1])
        told.lines.append((back[back.count - 1], back[back.count - 3]))
        lastSeen = (back[back.count - 1], time)
      }
      told.all += out + back
      // The receiver goes on for a while at home.
      for _ in 0..<20 { _ = drive([home, home + Point(1, 0)]) }
      time += .random(in: 600...50_000, using: &town.random)
    }
    return told
  }

  // MARK: Readers

  private func mean(_ points: [Point]) -> Point { points.reduce(.zero, +) / Double(points.count) }

  /// The centre of the circle nearest to points, by least squares.
  private func circle(_ points: [Point]) -> Point {
    let middle = mean(points)
    var (xx, xy, yy, xz, yz) = (0.0, 0.0, 0.0, 0.0, 0.0)
    for point in points.map({ $0 - middle }) {
      let square = (point * point).sum()
      xx += point.x * point.x
      xy += point.x * point.y
      yy += point.y * point.y
      xz += point.x * square
      yz += point.y * square
    }
    let determinant = 2 * (xx * yy - xy * xy)
    return middle + Point(xz * yy - yz * xy, yz * xx - xz * xy) / determinant
  }

  private func middleOfBox(_ points: [Point]) -> Point {
    var (low, high) = (points[0], points[0])
    for point in points { (low, high) = (pointwiseMin(low, point), pointwiseMax(high, point)) }
    return (low + high) / 2
  }

  /// The point that is nearest to all lines.
  private func crossing(_ lines: [(place: Point, outwards: Point)]) -> Point {
    var (a, b, d, x, y) = (0.0, 0.0, 0.0, 0.0, 0.0)
    for line in lines {
      let along = line.outwards - line.place
      let unit = along / (along * along).sum().squareRoot()
      let (p, q, r) = (1 - unit.x * unit.x, -unit.x * unit.y, 1 - unit.y * unit.y)
      (a, b, d) = (a + p, b + q, d + r)
      (x, y) = (x + p * line.place.x + q * line.place.y, y + q * line.place.x + r * line.place.y)
    }
    return Point(x * d - y * b, y * a - x * b) / (a * d - b * b)
  }

  /// The middle of the square of 50 metres with the most locations.
  private func densest(_ points: [Point]) -> Point {
    let squares = Dictionary(grouping: points) { ($0 / 50).rounded(.toNearestOrAwayFromZero) }
    return (squares.max { ($0.value.count, $0.key.x, $0.key.y) < ($1.value.count, $1.key.x, $1.key.y) }?.key ?? .zero)
      * 50
  }

  /// Where readers believe the home to be.
  private func guesses(_ told: Told) -> [String: Point] {
    let both = told.starts + told.ends
    let nights = told.silences.sorted { $0.seconds > $1.seconds }.prefix(50)
    return [
      "mean of starts": mean(told.starts), "mean of ends": mean(told.ends), "mean of both": mean(both),
      "circle of starts": circle(told.starts), "circle of ends": circle(told.ends),
      "middle of starts": middleOfBox(told.starts), "middle of ends": middleOfBox(told.ends),
      "crossing of lines": crossing(told.lines), "densest place": densest(told.all),
      "longest silences": mean(nights.map { ($0.before + $0.after) / 2 }),
      // Of trips in all directions, the mean is halfway between the circle's centre and the home.
      "mean, against the circle": mean(told.ends) * 2 - circle(told.ends),
    ]
  }

  /// The errors of the readers in radii of the fence, in some towns.
  private func errors(
    trips: Int, places: Int, _ zone: (CircularRegion, inout SplitMix) -> HiddenZone
  ) -> [String: [Double]] {
    var errors: [String: [Double]] = [:]
    for seed in 1...7 as ClosedRange<UInt64> {
      var random = SplitMix(state: 1000 + seed)
      let home = Point(.random(in: 0..<Town.street, using: &random), 0)
      let fence = CircularRegion(
        center: Town.plane.coordinate(east: home.x, north: home.y), radius: 100, identifier: "home")
      for (reader, guess) in guesses(
        told(trips: trips, places: places, home: home, zone: zone(fence, &random), seed: seed))
      {
        let error = guess - home
        errors[reader, default: []].append((error * error).sum().squareRoot() / fence.radius)
      }
    }
    return errors.mapValues { $0.sorted() }
  }

  /// A reader may be lucky in one town, so the middle one of seven towns counts.
  @Test func noReaderFindsTheHomeBetterThanItsFence() {
    let errors = errors(trips: runsLongTests ? 1000 : 250, places: 8) { fence, random in
      HiddenZone(
        around: fence, distance: .random(in: 0..<1, using: &random), bearing: .random(in: 0..<1, using: &random))
    }
    for (reader, found) in errors { #expect(found[3] > 1, "\(reader): \(found)") }
    // To guess is no better: a disc of the fence's size is a twentieth of the ring, and there are eleven readers.
    #expect(errors.values.joined().count { $0 < 1 } <= 11, "\(errors)")
  }

  /// The same readers find a home in the middle of its zone, and with trips in all directions one whose zone is offset by
  /// less than two radii.
  @Test(arguments: [(0.0, 3.0, 8, 0.2), (0.0, 8.0, 8, 0.2), (1.5, 3.0, 200, 0.8)])
  func theReadersFindAHomeThatIsHiddenWorse(offset: Double, radii: Double, places: Int, limit: Double) {
    let errors = errors(trips: 100, places: places) { fence, random in
      let angle = Double.random(in: 0..<2 * .pi, using: &random)
      return HiddenZone(
        fence: fence.identifier,
        center: LocalPlane(at: fence.center).coordinate(
          east: cos(angle) * offset * fence.radius, north: sin(angle) * offset * fence.radius),
        radius: radii * fence.radius)
    }
    #expect(errors.values.contains { $0[3] < limit }, "\(errors)")
  }
}
