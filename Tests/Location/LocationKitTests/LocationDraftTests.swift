import FoundationEssentials
import LocationKit
import TestSupport
import Testing

@Suite(.inTurn) struct LocationDraftTests {
  private func draft(_ mode: LocationDraft.Mode = .threeDimensional) -> LocationDraft {
    var draft = LocationDraft()
    draft.mode = mode
    (draft.latitude, draft.longitude) = (51.5, -0.125)
    return draft
  }

  @Test func everyMemberHasItsPlace() {
    var draft = draft()
    let time = Date(timeIntervalSince1970: 1_708_760_163)
    draft.time = time
    (draft.altitudeMSL, draft.altitudeHAE) = (10.1, -22.4)
    (draft.eph, draft.epx, draft.epy, draft.epv) = (17, 3, 4, 9)
    (draft.track, draft.epd) = (10.3, 4.1)
    (draft.speed, draft.eps, draft.climb) = (1.2, 0.4, -0.5)
    let source = LocationSourceInformation(device: "/dev/a", isSimulatedBySoftware: true)
    #expect(
      draft.location(satellitesUsed: 7, satellitesSeen: 9, sourceInformation: source)
        == Location(
          coordinate: LocationCoordinate2D(latitude: 51.5, longitude: -0.125), altitude: 10.1,
          ellipsoidalAltitude: -22.4, horizontalAccuracy: 17, verticalAccuracy: 9, course: 10.3, courseAccuracy: 4.1,
          speed: 1.2, speedAccuracy: 0.4, climb: -0.5, timestamp: time, mode: .threeDimensional, satellitesUsed: 7,
          satellitesSeen: 9, sourceInformation: source))
  }

  @Test func withoutAFixThereIsNoLocation() {
    #expect(LocationDraft().location() == nil)
    #expect(draft(.notSeen).location() == nil && draft(.noFix).location() == nil)
    var draft = draft()
    for (latitude, longitude) in [(nil, 1), (1, nil), (91, 0), (0, 181), (.nan, 0)] as [(Double?, Double?)] {
      (draft.latitude, draft.longitude) = (latitude, longitude)
      #expect(draft.location() == nil)
    }
  }

  @Test func altitudesNeedThreeDimensions() {
    var draft = draft(.twoDimensional)
    (draft.altitudeMSL, draft.altitudeHAE, draft.epv, draft.climb) = (10, 20, 9, 1)
    #expect(draft.location() == Location(latitude: 51.5, longitude: -0.125))
  }

  @Test func theGeoidGivesTheOtherAltitude() {
    var draft = draft()
    draft.altitudeMSL = 100
    draft.geoidSeparation = 47
    #expect(draft.location()?.ellipsoidalAltitude == 147 && draft.heightAboveEllipsoid == 147)
    (draft.altitudeMSL, draft.altitudeHAE) = (nil, 100)
    #expect(draft.location()?.altitude == 53)
    draft.geoidSeparation = nil
    #expect(draft.location()?.altitude == nil && draft.location()?.ellipsoidalAltitude == 100)
  }

  @Test(arguments: [(3, nil, nil, nil), (3, 4, nil, 5), (3, 4, .nan, 5)] as [(Double, Double?, Double?, Double?)])
  func horizontalAccuracyMayComeInParts(epx: Double, epy: Double?, eph: Double?, accuracy: Double?) {
    var draft = draft()
    (draft.epx, draft.epy, draft.eph) = (epx, epy, eph)
    #expect(draft.location()?.horizontalAccuracy == accuracy)
  }

  @Test func velocityGivesCourseAndSpeed() {
    var draft = draft()
    (draft.velocityEast, draft.velocityNorth) = (-3, 4)
    #expect(draft.location()?.speed == 5)
    #expect(draft.location()?.course.map { $0.rounded() } == 323)
    (draft.speed, draft.track) = (1, 2)
    #expect(draft.location()?.speed == 1 && draft.location()?.course == 2)
  }

  @Test(arguments: [(0.0, 0.0), (359.5, 359.5), (360, 0), (-90, 270), (725, 5), (-1e-20, 0)])
  func coursesAreBelow360(track: Double, course: Double) {
    var draft = draft()
    draft.track = track
    #expect(draft.location()?.course == course)
  }

  @Test func whatNoReceiverMeasuresIsUnknown() {
    var draft = draft()
    let known = draft.location()
    (draft.speed, draft.climb, draft.eps, draft.track) = (10_000, -10_000, .infinity, .nan)
    #expect(draft.location() == known && known != nil)
  }

  @Test func aLaterReportOfAnEpochAddsToIt() {
    var first = draft(.twoDimensional)
    (first.speed, first.track, first.time) = (5, 45, Date(timeIntervalSince1970: 1))
    var second = LocationDraft()
    second.mode = .threeDimensional
    (second.altitudeMSL, second.speed) = (35, 6)
    // Half a position is none.
    second.latitude = 52
    var filled = first
    filled.update(with: second)
    #expect(filled.mode == .threeDimensional && filled.time == first.time)
    #expect(filled.latitude == 51.5 && filled.longitude == -0.125)
    #expect(filled.speed == 6 && filled.track == 45 && filled.altitudeMSL == 35)
    filled.update(with: first)
    #expect(filled.mode == .twoDimensional && filled.speed == 5 && filled.altitudeMSL == 35)
  }
}
