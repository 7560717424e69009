import Foundation
import TestSupport
import Testing

@testable import LocationKit

/// The cells of a grid, and what a filter tells of a drive through a hidden zone.
@Suite(.inTurn) struct PrivacyFilterTests {
  private func cell(_ latitude: Double, _ longitude: Double, _ metres: Double = 500) -> Location {
    PrivacyGrid(metres: metres).cell(of: Location(latitude: latitude, longitude: longitude))
  }

  private func shown(_ filter: inout PrivacyFilter, _ location: Location) throws -> Location {
    let disclosure = filter.disclose(location)
    guard case .location(let shown) = disclosure else { throw SupportError("not shown: \(disclosure)") }
    return shown
  }

  // MARK: The grid

  @Test func aCellIsTheSameForAllOfItsPoints() {
    var random = SplitMix(state: 1)
    for _ in 0..<2000 {
      let metres = exp(Double.random(in: log(10)...log(50_000), using: &random))
      let location = Location(
        latitude: .random(in: -90...90, using: &random), longitude: .random(in: -180...180, using: &random))
      let cell = PrivacyGrid(metres: metres).cell(of: location)
      #expect(cell.coordinate.isValid)
      // The centre is in its own cell.
      #expect(PrivacyGrid(metres: metres).cell(of: cell).coordinate == cell.coordinate)
      #expect(cell.distance(from: location) <= (cell.horizontalAccuracy ?? 0) * 1.001, "\(location) \(metres)")
    }
  }

  @Test(arguments: [0, 30, 48.1, -60, 85]) func cellsAreAsWideAsHigh(latitude: Double) {
    let here = cell(latitude, 11.57)
    /// The next cell in a direction, in small steps.
    func next(north: Double, east: Double) -> Location {
      var (step, next) = (0.0, here)
      while next.coordinate == here.coordinate {
        step += 0.0001
        next = cell(latitude + north * step, 11.57 + east * step / cos(latitude * .pi / 180))
      }
      return next
    }
    let height = abs(next(north: 1, east: 0).coordinate.latitude - here.coordinate.latitude) * 111_000
    let width = next(north: 0, east: 1).distance(from: here)
    for metres in [height, width] { #expect((470...530).contains(metres), "\(width) by \(height)") }
    #expect((340...370).contains(here.horizontalAccuracy ?? 0))
  }

  @Test func polesAndTheDateLineAreInCellsToo() {
    #expect(cell(90, 0).coordinate == cell(90, 0.001).coordinate)
    #expect(cell(90, 10).coordinate.isValid && cell(-90, -180).coordinate.isValid)
    #expect(cell(48, 180).coordinate == cell(48, -180).coordinate)
    #expect(cell(48, 180).coordinate != cell(48, 179.999).coordinate)
    #expect(cell(10, 20, 1_000_000).coordinate.isValid)
    #expect(cell(10, 20, 1e9).coordinate.isValid)
  }

  @Test func aCellTellsNothingElse() throws {
    let time = Date(timeIntervalSince1970: 1)
    let location = Location(
      coordinate: .init(latitude: 48.1, longitude: 11.5), altitude: 1, ellipsoidalAltitude: 2, horizontalAccuracy: 3,
      verticalAccuracy: 4, course: 5, courseAccuracy: 6, speed: 7, speedAccuracy: 8, climb: 9, timestamp: time,
      mode: .threeDimensional, satellitesUsed: 10, satellitesSeen: 11, quality: GNSSQuality(hdop: 1))
    var filter = PrivacyFilter(PrivacyPolicy(grid: PrivacyGrid(metres: 500)))
    let shown = try shown(&filter, location)
    let only = Location(coordinate: shown.coordinate, horizontalAccuracy: shown.horizontalAccuracy, timestamp: time)
    #expect(shown == only && shown.coordinate != location.coordinate)
    #expect(shown.horizontalAccuracy ?? 0 > 300)
    // A worse fix stays worse.
    var worse = location
    worse.horizontalAccuracy = 5000
    #expect(try self.shown(&filter, worse).horizontalAccuracy == 5000)
    #expect(!filter.policy.tells(CircularRegion(center: location.coordinate, radius: 5, identifier: "home")))
  }

  @Test func exactIsUnchanged() throws {
    var filter = PrivacyFilter(.exact)
    for location in [Location(latitude: 1, longitude: 2), Location(latitude: .nan, longitude: 2)] {
      let shown = try shown(&filter, location)
      #expect(shown.coordinate.latitude.bitPattern == location.coordinate.latitude.bitPattern)
    }
    #expect(filter.disclosesLoss() && !filter.isHidden)
  }

  // MARK: Hidden zones

  private let home = LocationCoordinate2D(latitude: 48, longitude: 11)
  private var fence: CircularRegion { CircularRegion(center: home, radius: 50, identifier: "home") }

  /// A fix so many metres east of the zone's centre.
  private func fix(_ metres: Double, at seconds: Double?, accuracy: Double? = nil) -> Location {
    Location(
      coordinate: LocalPlane(at: zone.center).coordinate(east: metres, north: 0), horizontalAccuracy: accuracy,
      timestamp: seconds.map { Date(timeIntervalSince1970: $0) })
  }

  private var zone: HiddenZone { HiddenZone(around: fence, distance: 0.5, bearing: 0.1) }

  /// A filter that shows locations.
  private func visible() -> PrivacyFilter {
    var filter = PrivacyFilter(PrivacyPolicy(hiding: [zone]))
    _ = filter.disclose(fix(1000, at: -100))
    _ = filter.disclose(fix(1000, at: -50))
    #expect(!filter.isHidden)
    return filter
  }

  @Test func theZoneContainsTheFenceAndIsNotAroundIt() {
    var random = SplitMix(state: 3)
    for _ in 0..<500 {
      let fence = CircularRegion(
        center: .init(
          latitude: .random(in: -85...85, using: &random), longitude: .random(in: -180...180, using: &random)),
        radius: .random(in: 5...2000, using: &random), identifier: "home")
      let zone = HiddenZone(
        around: fence, distance: .random(in: 0..<1, using: &random), bearing: .random(in: 0..<1, using: &random))
      let offset = zone.center.distance(from: fence.center) / fence.radius
      #expect((3.8...6.2).contains(offset), "\(offset) \(fence)")
      #expect(offset + 1.5 < zone.radius / fence.radius)
    }
  }

  @Test func nothingIsToldFromInsideAndTheEdgesAreLate() {
    var filter = visible()
    let radius = zone.radius
    func isShown(_ metres: Double, at seconds: Double) -> Bool {
      filter.disclose(fix(metres, at: seconds)) == .location(fix(metres, at: seconds))
    }
    #expect(isShown(radius + 10, at: 0))
    // In, and shown only after the dwell.
    #expect(filter.disclose(fix(radius - 10, at: 1)) == .nothing)
    #expect(filter.isHidden && !filter.disclosesCrossing(at: fix(radius + 500, at: 1)))
    #expect([20, 21, 22].map { filter.disclose(fix(0, at: $0)) } == [.nothing, .hidden, .nothing])
    #expect(filter.disclosesLoss() == false)
    // Out, in for a moment, and out again.
    for (metres, seconds) in [(10.0, 100.0), (-10, 110), (10, 111), (90, 125)] {
      #expect(filter.disclose(fix(radius + metres, at: seconds)) == .nothing)
    }
    #expect(isShown(radius + 100, at: 131))
    #expect(!filter.isHidden && filter.disclosesLoss())
  }

  @Test func aShortVisitIsToldBeforeLocationsBeginAgain() {
    var filter = visible()
    _ = filter.disclose(fix(0, at: 0))
    #expect(filter.disclose(fix(1000, at: 30)) == .hidden)
    #expect(filter.disclose(fix(1000, at: 60)) == .location(fix(1000, at: 60)))
  }

  @Test func aLossInsideIsTheHiding() {
    var filter = visible()
    _ = filter.disclose(fix(0, at: 0))
    #expect(filter.disclosesLoss() == true)
    #expect(filter.disclosesLoss() == false)
    #expect(filter.disclose(fix(0, at: 100)) == .nothing)
  }

  @Test func theStartIsWithheld() {
    var filter = PrivacyFilter(PrivacyPolicy(hiding: [zone]))
    #expect(filter.isHidden)
    #expect(filter.disclose(fix(1000, at: 0)) == .hidden)
    #expect(filter.disclosesLoss() == false)
    #expect(filter.disclose(fix(1000, at: 19)) == .nothing)
    #expect(filter.disclose(fix(1000, at: 20)) == .location(fix(1000, at: 20)))
  }

  @Test func inaccurateUntimedAndInvalidFixesAreHidden() {
    var filter = visible()
    #expect(filter.disclose(fix(zone.radius + 50, at: nil)) == .nothing)
    #expect(filter.disclose(Location(latitude: .nan, longitude: 0)) == .nothing)
    #expect(!filter.isHidden)
    #expect(filter.disclose(fix(zone.radius + 50, at: 1, accuracy: 60)) == .nothing)
    #expect(filter.isHidden)
  }

  /// A receiver's clock that goes back begins the dwell again.
  @Test func aClockThatGoesBackDoesNotShowTheHome() {
    var filter = visible()
    for time in [0.0, -1000, -999, -2000] {
      let inside = fix(0, at: time)
      #expect(filter.disclose(inside) != .location(inside))
    }
    #expect(filter.disclose(fix(1000, at: -3000)) == .nothing)
    for time in stride(from: -2999.0, to: -2960, by: 1) { _ = filter.disclose(fix(1000, at: time)) }
    #expect(!filter.isHidden)
  }

  @Test func fencesThatGiveTheHomeAwayAreNotTold() {
    let policy = PrivacyPolicy(hiding: [zone])
    #expect(!policy.tells(fence))
    // The same name elsewhere, as after a command.
    #expect(!policy.tells(CircularRegion(center: .init(latitude: 1, longitude: 1), radius: 50, identifier: "home")))
    #expect(!policy.tells(CircularRegion(center: home, radius: 5000, identifier: "village")))
    #expect(policy.tells(CircularRegion(center: .init(latitude: 48.1, longitude: 11), radius: 50, identifier: "work")))
  }

  /// A crossing may be judged at a place that the filter has not seen yet.
  @Test func aCrossingInsideIsHiddenWhileTheLocationIsVisible() {
    var filter = PrivacyFilter(PrivacyPolicy(hiding: [zone]))
    for time in 0..<60 { _ = filter.disclose(fix(1000, at: Double(time))) }
    #expect(!filter.isHidden && filter.disclosesCrossing(at: fix(1000, at: 60)))
    #expect(!filter.disclosesCrossing(at: fix(0, at: 60)))
  }

  @Test func aGridAndAZoneApplyTogether() throws {
    var filter = PrivacyFilter(PrivacyPolicy(grid: PrivacyGrid(metres: 500), hiding: [zone]))
    _ = filter.disclose(fix(1000, at: 0))
    #expect(try shown(&filter, fix(1000, at: 30)).coordinate != fix(1000, at: 30).coordinate)
    #expect(filter.disclose(fix(0, at: 31)) == .nothing)
  }
}
