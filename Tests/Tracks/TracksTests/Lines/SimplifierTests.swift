import Foundation
import LocationKit
import TestSupport
import Testing
import Tracks

@Suite(.inTurn) struct SimplifierTests {
  /// Lines of many kinds: a drive, a wander, a spiral, a zigzag, one along the antimeridian and one near a pole.
  static func line(_ kind: Int) -> [Location] {
    var dice = SplitMix(state: UInt64(kind))
    let origin = [
      LocationCoordinate2D(latitude: 48, longitude: 11), .init(latitude: 0, longitude: 179.999),
      .init(latitude: -75, longitude: 20), .init(latitude: 60, longitude: -179.99),
    ][kind % 4]
    if kind % 5 == 0 {
      var drive = Drive(from: origin, seed: UInt64(kind), noise: 3)
      for _ in 0..<10 { drive.drive(100, speed: Double(dice.next(40)), course: Double(dice.next(360))) }
      return drive.fixes
    }
    var (east, north) = (0.0, 0.0)
    return (0..<1000).map { index in
      switch kind % 5 {
      case 1:
        east += Double(dice.next(201) - 100) / 10
        north += Double(dice.next(201) - 100) / 10
      case 2:
        let angle = Double(index) / 20
        (east, north) = (angle * 3 * cos(angle), angle * 3 * sin(angle))
      case 3:
        east += 30
        north = index % 2 == 0 ? 0 : Double(dice.next(30))
      default:
        // To and fro on one line.
        east = Double(dice.next(1000))
      }
      return Location(coordinate: TracksTests.moved(origin, east: east, north: north))
    }
  }

  private func simplified(_ events: [TrackEvent], _ tolerance: Double) -> [TrackEvent] {
    var simplifier = Simplifier(tolerance: tolerance)
    let passed = events.passed(through: &simplifier)
    #expect([TrackEvent]().passed(through: &simplifier).isEmpty, "something is handed on a second time")
    return passed
  }

  @Test(arguments: 0..<20, [0.5, 3, 20, 200])
  func whatIsLeftOutIsWithinTheToleranceOfItsLine(kind: Int, tolerance: Double) throws {
    let fixes = Self.line(kind)
    let kept = simplified(fixes.map(TrackEvent.fix), tolerance)
    #expect(kept.first == .fix(fixes[0]))
    #expect(kept.last == .fix(fixes[fixes.count - 1]))
    #expect(try worstOffset(of: fixes, from: kept) <= tolerance)
    // It also has an effect.
    if kind % 5 == 0, tolerance >= 20 { #expect(kept.count < fixes.count / 10) }
  }

  @Test(arguments: [1.0, -1]) func aStraightLineAcrossTheAntimeridianIsItsTwoEnds(_ direction: Double) {
    let fixes = (-50...50).map {
      Location(latitude: 0, longitude: remainder(180 + direction * Double($0) / 10_000, 360))
    }
    #expect(simplified(fixes.map(TrackEvent.fix), 1) == [.fix(fixes[0]), .fix(fixes[100])])
  }

  /// Directions on either side of 180° are next to each other.
  @Test func aLineThatWobblesToTheSouthIsItsTwoEnds() {
    let fixes = (0...50).map { number in
      let longitude: Double = number % 2 == 0 ? 11.000_001 : 11
      return Location(latitude: -Double(number) / 10_000, longitude: longitude)
    }
    #expect(simplified(fixes.map(TrackEvent.fix), 1) == [.fix(fixes[0]), .fix(fixes[50])])
  }

  @Test func gapsAndTheFixesBesideThemStay() {
    let fixes = Self.line(5).map(TrackEvent.fix)
    let events = [.gap] + fixes[..<10] + [.gap, fixes[10], .gap] + fixes[11..<100]
    let kept = simplified(Array(events), 1e5)
    #expect(kept == [.gap, fixes[0], fixes[9], .gap, fixes[10], .gap, fixes[11], fixes[99]])
    for tolerance in [0.0, -1] { #expect(simplified(Array(events), tolerance) == Array(events)) }
  }

  /// The greatest distance of a fix from the line between the kept ones around it.
  private func worstOffset(of fixes: [Location], from kept: [TrackEvent]) throws -> Double {
    var worst = 0.0
    var rest = fixes[...]
    let corners = kept.compactMap(\.fix)
    for (from, to) in zip(corners, corners.dropFirst()) {
      let start = try #require(rest.firstIndex(of: from))
      let end = try #require(rest[(start + 1)...].firstIndex(of: to))
      for fix in rest[start...end] { worst = max(worst, offset(of: fix, from, to)) }
      rest = rest[end...]
    }
    return worst
  }

  /// Metres in a plane around the middle of the line, which is not the simplifier's plane.
  private func offset(of point: Location, _ from: Location, _ to: Location) -> Double {
    let latitude = (from.coordinate.latitude + to.coordinate.latitude) / 2
    let scale = WGS84.primeVerticalRadius(atLatitude: latitude) * cos(latitude * .pi / 180) * .pi / 180
    func plane(_ location: Location) -> (Double, Double) {
      (
        remainder(location.coordinate.longitude - from.coordinate.longitude, 360) * scale,
        (location.coordinate.latitude - from.coordinate.latitude) * WGS84.meridianRadius(atLatitude: latitude) * .pi
          / 180
      )
    }
    let (b, p) = (plane(to), plane(point))
    let square = b.0 * b.0 + b.1 * b.1
    let along = square > 0 ? max(0, min(1, (p.0 * b.0 + p.1 * b.1) / square)) : 0
    let (x, y) = (p.0 - along * b.0, p.1 - along * b.1)
    return (x * x + y * y).squareRoot()
  }
}
