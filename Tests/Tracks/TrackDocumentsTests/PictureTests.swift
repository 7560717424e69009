import Foundation
import LocationKit
import TestSupport
import Testing
import Tracks

@testable import TrackDocuments

@Suite(.inTurn) struct PictureTests {
  private func place(_ metres: Double) -> LocationCoordinate2D {
    .init(latitude: 0, longitude: metres / WGS84.metresPerDegree)
  }

  @Test func aLineIsBoundedAndKeepsItsEnds() {
    var line = PictureLine(limit: 100)
    for metre in 0...10_000 { line.add(place(Double(metre)), speed: 3) }
    line.finish()
    #expect(line.points.count <= 100)
    #expect(line.points.first?.longitude == 0)
    #expect(((line.points.last?.longitude ?? 0) * WGS84.metresPerDegree - 10_000).magnitude < 0.01)
    let steps = zip(line.points, line.points.dropFirst()).map { ($1.longitude - $0.longitude) * WGS84.metresPerDegree }
    #expect(steps.allSatisfy { $0 < 2 * line.tolerance + 2 })
    // The end that the line had when it was last thinned out may be near the point before.
    #expect(steps.dropLast().count { $0 < line.tolerance - 1e-6 } <= 1)
    // Each fix's speed counts once.
    #expect(line.points.map(\.speedCount).reduce(0, +) == 10_001)
    #expect(line.points.allSatisfy { $0.speed == 3 })
  }

  @Test func gapsStayInAThinnedLine() {
    var line = PictureLine(limit: 64)
    for segment in 0..<5 {
      for metre in 0..<100 { line.add(place(Double(segment * 1000 + metre)), speed: nil) }
      line.addGap()
    }
    line.finish()
    #expect(line.points.filter(\.beginsSegment).count == 5)
    #expect(line.points.allSatisfy { $0.speed == nil })
    // The ends of segments are where they were.
    #expect(line.points.contains { ($0.longitude * WGS84.metresPerDegree - 99).magnitude < 0.01 })
  }

  @Test func aLineOfGapsIsBoundedToo() {
    var line = PictureLine(limit: 64)
    for segment in 0..<10_000 {
      line.add(place(Double(segment) * 10), speed: 1)
      line.addGap()
    }
    #expect(line.points.count <= 64)
  }

  @Test func longitudesGoOnAcrossTheAntimeridian() {
    var line = PictureLine()
    for longitude in [179.0, 179.9, -179.9, -179, 179.5] {
      line.add(.init(latitude: 0, longitude: longitude), speed: 1)
    }
    #expect(zip(line.points, line.points.dropFirst()).allSatisfy { ($1.longitude - $0.longitude).magnitude < 2 })
  }

  @Test func aSeriesIsBoundedAndKeepsExtremes() {
    var series = TimeSeries(limit: 50)
    let start = Date(timeIntervalSince1970: 1_790_000_000)
    for second in 0..<10_000 {
      series.add(second == 7777 ? 99 : 1, at: start + Double(second))
      if second == 4999 { series.addGap() }
    }
    #expect(series.steps.count <= 50)
    #expect(series.steps.map(\.greatest).max() == 99)
    #expect(series.steps.map(\.count).reduce(0, +) == 10_000)
    #expect(zip(series.steps, series.steps.dropFirst()).allSatisfy { $0.index < $1.index })
  }

  @Test func aSeriesTakesTimesInAnyOrder() {
    var series = TimeSeries(limit: 50)
    let start = Date(timeIntervalSince1970: 1_790_000_000)
    for second in (0..<1000).reversed() { series.add(Double(second), at: start + Double(second)) }
    #expect(series.steps.count <= 50)
    #expect(zip(series.steps, series.steps.dropFirst()).allSatisfy { $0.index < $1.index && $0.mean < $1.mean })
    for step in series.steps {
      let begin = series.origin + Double(step.index) * series.width - start.timeIntervalSince1970
      #expect(step.least >= begin && step.greatest < begin + series.width)
    }
  }

  /// Two drives of ten minutes and the night between them.
  @Test func aNightIsNarrowOnTheAxis() throws {
    var series = TimeSeries(limit: 2048)
    let start = 1_790_000_000.0
    for (from, to) in [(0.0, 600.0), (36_600, 37_200)] {
      for second in stride(from: from, through: to, by: 1) {
        series.add(1, at: Date(timeIntervalSince1970: start + second))
      }
      series.addGap()
    }
    let axis = try #require(TimeAxis([series], timeZone: .utc, x: 100, width: 1000))
    try #require(axis.cuts.count == 1)
    let places = [0, 600, 36_600, 37_200].map { axis.x(start + $0) }
    #expect(places == places.sorted() && abs(places[0] - 100) < 1 && abs(places[3] - 1100) < 1)
    #expect(places[2] - places[1] < 50 && places[1] - places[0] > 450 && places[3] - places[2] > 450)
    let ticks = axis.ticks
    #expect(ticks.count > 4 && ticks.allSatisfy { $0.x < places[1] + 1 || $0.x > places[2] - 1 })
    #expect(zip(ticks, ticks.dropFirst()).allSatisfy { $1.x - $0.x > 40 })
    // The new day stands where it is first seen.
    #expect(ticks.compactMap(\.date).count == 1)
    // So it is within a segment, whose line on the map is whole.
    let nights = [TrackEvent.gap, .silence].map { night in
      let drives = [0.0, 36_600].map { start in
        (0..<600).map { second in
          Writing.fix(48 + Double(second) / 1e4, 11 + start / 1e5, start + Double(second), speed: 5)
        }
      }
      return Writing.document(.svg, drives[0] + [night] + drives[1])
    }
    #expect(nights.allSatisfy { $0.contains("class=\"cut\"") })
    #expect(nights.map { $0.contains("class=\"gap\"") } == [true, false])
    // A tunnel is as wide as it is long.
    let drive = Writing.document(
      .svg,
      (0..<600).compactMap { second in
        second == 300
          ? .gap
          : (290..<310).contains(second) ? nil : Writing.fix(48, 11 + Double(second) / 1e4, Double(second), speed: 5)
      })
    #expect(!drive.contains("class=\"cut\""))
  }

  @Test func greyIsInTheLegendWhereItIsOnTheMap() {
    let known = (0..<20).map { Writing.fix(48, 11 + Double($0) / 1000, Double($0), speed: 5) }
    let unknown = (20..<40).map { Writing.fix(48, 11 + Double($0) / 1000) }
    #expect(!Writing.document(.svg, known).contains("no speed"))
    #expect(Writing.document(.svg, known + unknown).contains(">no speed</text>"))
  }

  @Test func speedClassesAreRoundAndDistinct() {
    let scale = SpeedScale(greatest: 22)
    #expect(scale.step == 10 && scale.classes == 8)
    #expect(scale.classOf(0) == 0 && scale.classOf(10 / 3.6 + 1e-9) == 1 && scale.classOf(1000) == 7)
    #expect(Set((0..<8).map(scale.colour)).count == 8)
    #expect(scale.colour(of: 0) == "#440154")
    for greatest in [0, 1e-9, 1, 300, 7777, 1e9] { #expect((2...10).contains(SpeedScale(greatest: greatest).classes)) }
  }

  @Test(arguments: [0.0, 37.8, -60, 85]) func theMapsScaleIsEqualAndTrue(_ latitude: Double) {
    let south = latitude - 0.01
    let north = latitude + 0.01
    let map = MapProjection(
      south: south, north: north, west: 10, east: 10.02, frame: Box(x: 0, y: 0, width: 800, height: 500), padding: 20)
    let up = (map.y(south) - map.y(north)) * map.metresPerUnit
    let metresUp = Location(latitude: south, longitude: 10).distance(from: Location(latitude: north, longitude: 10))
    let across = (map.x(10.02) - map.x(10)) * map.metresPerUnit
    let metresAcross = Location(latitude: latitude, longitude: 10).distance(
      from: Location(latitude: latitude, longitude: 10.02))
    #expect((up / metresUp - 1).magnitude < 1e-3)
    #expect((across / metresAcross - 1).magnitude < 1e-3)
    // Everything is inside, in the middle.
    #expect(
      map.x(10) >= 20 - 1e-6 && map.x(10.02) <= 780 + 1e-6 && map.y(north) >= 20 - 1e-6 && map.y(south) <= 480 + 1e-6)
    #expect((map.south...map.north).contains(latitude) && (map.west...map.east).contains(10.01))
  }

  @Test func labelsNeverCoverEachOther() {
    let frame = Box(x: 0, y: 0, width: 300, height: 200)
    var markers = Markers(frame: frame)
    var random = SplitMix(state: 1)
    markers.add(.init(isStart: true, x: 0, y: 0))
    for number in 1...60 {
      let (x, y) = (Double.random(in: 0..<300, using: &random), Double.random(in: 0..<200, using: &random))
      markers.add(.init(stops: [number], x: x, y: y))
    }
    let boxes = markers.markers.map(markers.box)
    for (index, box) in boxes.enumerated() {
      #expect(box.x >= 0 && box.right <= 300 && box.y >= 0 && box.bottom <= 200)
      #expect(!boxes[(index + 1)...].contains { $0.touches(box) })
    }
    #expect(markers.markers.flatMap(\.stops).sorted() == Array(1...60))
  }

  @Test func labelsSayWhatTheyStandFor() {
    var marker = Markers.Marker(isStart: true, isEnd: true, stops: [1, 2, 3, 5], x: 0, y: 0)
    #expect(marker.text == "Start, 1–3, 5, End")
    marker.stops = [1, 3, 5, 7]
    #expect(marker.text == "Start, 4 stops, End")
  }
}
