import Foundation
import LocationKit
import Records
import TestSupport
import Testing

@testable import TrackDocuments
@testable import Tracks

@Suite(.inTurn) struct WordsTests {
  @Test(arguments: [
    (0.0, 0, "0"), (-0.04, 1, "0.0"), (0.05, 1, "0.1"), (-12.345, 2, "-12.35"), (999.95, 1, "1000.0"),
    (0.001, 3, "0.001"),
    (.nan, 1, "?"),
  ]) func decimals(_ value: Double, _ places: Int, _ text: String) { #expect(Words.decimal(value, places) == text) }

  @Test(arguments: [
    (0.0, "0 m"), (999.4, "999 m"), (999.6, "1.00 km"), (8545.5, "8.55 km"), (99_994, "99.99 km"), (99_996, "100.0 km"),
    (1_240_000, "1240 km"),
  ]) func distances(_ metres: Double, _ text: String) {
    #expect(MeasurementUnits.metric.words(distance: metres) == text)
  }

  @Test func unitsAreThoseOfRoadsAndOfTheSea() {
    func words(_ units: MeasurementUnits) -> [String] {
      [units.words(distance: 100), units.words(distance: 5000), units.words(height: 100), units.words(speed: 10)]
    }
    #expect(words(.metric) == ["100 m", "5.00 km", "100 m", "36.0 km/h"])
    #expect(words(.imperial) == ["328 ft", "3.11 mi", "328 ft", "22.4 mph"])
    #expect(words(.nautical) == ["100 m", "2.70 nmi", "100 m", "19.4 kn"])
    let locales = ["en_US.UTF-8", "en_US@x", "es_US", "my_MM.UTF-8", "en_GB.UTF-8", "en_IE.UTF-8", "C", "", "US"]
    #expect(
      locales.map { MeasurementUnits(locale: $0) == .imperial }
        == [true, true, true, true, true, false, false, false, false])
  }

  /// In every place of a document that has a unit.
  @Test func aDocumentHasOneSystemOfUnits() {
    let events = Writing.stops(2)
    for format in [TrackFormat.text, .svg, .html] {
      let text = Writing.document(format, events, units: .imperial)
      #expect(text.contains(" mph") && text.contains(" ft"), "\(format)")
      for other in ["km", " m<", " m\n", ", m<"] { #expect(!text.contains(other), "\(format) \(other)") }
    }
  }

  @Test(arguments: [(0.0, 1.0), (1, 1), (1.01, 2), (2.5, 5), (7, 10), (0.03, 0.05), (130, 200), (1e-5, 1e-5)])
  func stepsAreAtLeast(_ value: Double, _ step: Double) {
    #expect((RoundStep.atLeast(value) / step - 1).magnitude < 1e-9)
  }

  @Test(arguments: [(1.0, 1.0), (1.9, 1), (4.9, 2), (5, 5), (99, 50), (0.3, 0.2)])
  func stepsAreAtMost(_ value: Double, _ step: Double) {
    #expect((RoundStep.atMost(value) / step - 1).magnitude < 1e-9)
  }

  @Test(arguments: [(0.5, 1.0), (16, 30), (61, 120), (4000, 7200), (50_000, 86_400), (100_000, 172_800)])
  func stepsOfTime(_ seconds: Double, _ step: Double) { #expect(RoundStep.ofTime(atLeast: seconds) == step) }

  @Test func multiplesHaveNoDriftAndAnEnd() {
    let tenths = RoundStep.multiples(of: 0.1, from: 0.1, to: 0.7)
    #expect(tenths.map { Words.decimal($0, step: 0.1) } == ["0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7"])
    #expect(RoundStep.multiples(of: 1e-9, from: 0, to: 1).isEmpty)
    #expect(RoundStep.multiples(of: 1, from: .nan, to: 1).isEmpty)
  }

  @Test func timesBefore1970AndInZones() {
    let zone = TrackTimeZone { _ in (-5 * 3600, "EST") }
    #expect(zone.text(Date(timeIntervalSince1970: 0)) == "1969-12-31 19:00:00")
    #expect(TrackTimeZone.utc.text(Date(timeIntervalSince1970: -1)) == "1969-12-31 23:59:59")
    #expect(TrackTimeZone.utc.text(Date(timeIntervalSince1970: 1e300)) == "9999-12-31 23:59:59")
  }

  @Test func thePageHasColumnsOnlyForWhatIsKnown() {
    let page = Writing.document(.text, Writing.stops(2))
    let table = page.split(separator: "\n").drop { !$0.contains("from") }
    #expect(table.count == 5)
    #expect(
      table.dropFirst().map { $0.trimmingCharacters(in: .whitespaces).prefix(6) } == [
        "Stop 1", "Trip 1", "Stop 2", "Trip 2",
      ])
    #expect(page.split(separator: "\n").allSatisfy { !$0.hasSuffix(" ") })
    #expect(!Writing.document(.text, [Writing.fix(48, 11)]).contains("Time"))
  }

  @Test func aNameFromOutsideDoesNotReachTheTerminal() {
    #expect(!Writing.document(.text, [], name: "a\u{1B}[31m\n\u{9B}").contains { "\u{1B}\u{9B}".contains($0) })
  }

  @Test func daysAndZonesStandWhereTheyChange() {
    let zone = TrackTimeZone { $0.timeIntervalSince1970 < 1_790_000_000 + 100 ? (7200, "CEST") : (3600, "CET") }
    let page = Writing.document(.text, [Writing.fix(48, 11, 0), Writing.fix(48.01, 11, 200)], timeZone: zone)
    #expect(page.contains("2026-09-21 16:13:20 CEST to 15:16:40 CET"))
  }

  @Test func aTripPastMidnightEndsOnTheNextDay() {
    func time(_ seconds: Double) -> Date { Date(timeIntervalSince1970: 1_790_035_200 + seconds) }
    let place = LocationCoordinate2D(latitude: 1, longitude: 2)
    let trip = Trip(
      start: time(-600), end: time(600), startCoordinate: place, endCoordinate: place, fixes: 0..<2, distance: 1,
      movingTime: 1)
    let stop = Stop(coordinate: place, arrival: time(600), departure: time(1200), fixes: 1..<3)
    let summary = TrackSummary(statistics: TrackStatistics(), parts: [.trip(trip), .stop(stop)])
    let rows = SummaryTable(report: TrackReport(name: "n", summary: summary), timeZone: .utc).rows
    #expect(rows.map { $0["From"] } == ["2026-09-21 23:50:00", "00:10:00"])
    #expect(rows.map { $0["To"] } == ["2026-09-22 00:10:00", "00:20:00"])
  }

  @Test("one distance has one value", arguments: [(273_251.0, ""), (270_000.0, ", over 270.0 km")])
  func oneDistance(moving: Double, words: String) {
    var statistics = TrackStatistics()
    (statistics.fixCount, statistics.distance) = (2, 273_249)
    (statistics.movingTime, statistics.averageSpeed) = (10_000, moving / 10_000)
    let report = TrackReport(name: "n", summary: TrackSummary(statistics: statistics, parts: []))
    let lines = SummaryTable(report: report, timeZone: .utc).lines
    #expect(lines.first { $0.name == "Distance" }?.value == "273.2 km")
    #expect(lines.first { $0.name == "Average speed" }?.value.hasSuffix("while moving\(words)") == true)
  }

  @Test func everyFigureIsUnderItsName() throws {
    var statistics = TrackStatistics()
    (statistics.fixCount, statistics.segmentCount) = (11, 3)
    statistics.start = Date(timeIntervalSince1970: 1_790_000_000)
    statistics.end = Date(timeIntervalSince1970: 1_790_000_100)
    (statistics.distance, statistics.stoppedDistance) = (500, 150)
    (statistics.silenceDistance, statistics.silenceTime) = (50, 10)
    (statistics.movingTime, statistics.stoppedTime, statistics.gapTime) = (40, 35, 25)
    statistics.gapDistance = 600
    statistics.fixesByStatus = [.rtkFloat: 1, .rtkFixed: 9]
    statistics.averageSpeed = 10
    (statistics.greatestSpeed, statistics.ascent, statistics.descent) = (20, 31, 32)
    (statistics.lowestAltitude, statistics.highestAltitude) = (-5, 66)
    var bounds = TrackBounds(LocationCoordinate2D(latitude: 1, longitude: 179))
    bounds.include(LocationCoordinate2D(latitude: 2, longitude: -178))
    statistics.bounds = bounds
    let trip = Trip(
      start: statistics.start!, end: statistics.end!, startCoordinate: .init(latitude: 3, longitude: 4),
      endCoordinate: .init(latitude: 5, longitude: 6), fixes: 0..<11, distance: 450, movingTime: 40, averageSpeed: 10,
      greatestSpeed: 19, ascent: 29, descent: 28)
    let stop = Stop(
      coordinate: .init(latitude: 7, longitude: 8), arrival: statistics.start!, departure: statistics.start! + 70,
      fixes: 0..<2, accuracy: StopAccuracy(claimed: 2.46, scatter: 12.3, duration: 70))
    var report = TrackReport(
      name: "n", summary: TrackSummary(statistics: statistics, parts: [.trip(trip), .stop(stop)]), jumps: 2)
    report.skipped.add(SkippedRecord(.time, input: "f", line: 9, problem: "p"))
    report.names = [TrackName("way"), TrackName("hut", of: .init(latitude: 9, longitude: 10))]

    let lines = SummaryTable(report: report, timeZone: .utc).lines
    let expected = [
      ("Name", "way"), ("Time", "2026-09-21 14:13:20 to 14:15:00 UTC"), ("Duration", "1 min 40 s"),
      ("Moving time", "40 s"),
      ("Stopped", "35 s, 1 stop"), ("Distance", "500 m, 50 m of it in 10 s without a fix"),
      ("Average speed", "36.0 km/h while moving, over 400 m"),
      ("Greatest speed", "72.0 km/h"), ("Ascent", "31 m"), ("Descent", "32 m"), ("Altitude", "-5 m to 66 m"),
      ("Fixes", "11, 2 gaps of 25 s together (600 m left out), 2 jumps left out"),
      ("Quality", "RTK fixed 82 %, RTK float 9 %"),
      ("Accuracy", "claims 2.5 m, 95 % within 12 m (1 min 10 s)"), ("Skipped", "1 value: 1 invalid time (f:9)"),
      ("Waypoint", "hut, 9.00000, 10.00000"),
    ]
    #expect(lines.map { "\($0.name): \($0.value)" } == expected.map { "\($0.0): \($0.1)" })

    var buffer = RecordBuffer()
    var writer = TrackFormat.json.makeWriter(name: "n")
    writer.end(report, to: &buffer)
    let text = buffer.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    let time = #""start":"2026-09-21T14:13:20.000Z","end":"2026-09-21T14:15:00.000Z","duration":100.0"#
    #expect(
      text == #"{"type":"track","name":"n","names":[{"name":"way"},{"name":"hut","latitude":9.0,"longitude":10.0}],"#
        + #""fixes":11,"#
        + #""fixesByStatus":[{"status":"rtkFixed","count":9},{"status":"rtkFloat","count":1}],"segments":3,"jumps":2,"#
        + #""skipped":[{"kind":"time","count":1,"file":"f","line":9}],"# + time
        + #","distance":500.0,"movingDistance":400.0,"movingTime":40.0,"stoppedDistance":150.0,"stoppedTime":35.0,"#
        + #""silenceDistance":50.0,"silenceTime":10.0,"gapTime":25.0,"#
        + #""gapDistance":600.0,"averageSpeed":10.0,"greatestSpeed":20.0,"ascent":31.0,"descent":32.0,"lowestAltitude":-5.0,"#
        + #""highestAltitude":66.0,"bounds":{"south":1.0,"west":179.0,"north":2.0,"east":-178.0},"parts":["# + "\n"
        + #"{"type":"trip","start":"2026-09-21T14:13:20.000Z","end":"2026-09-21T14:15:00.000Z","#
        + #""from":{"latitude":3.0,"longitude":4.0},"to":{"latitude":5.0,"longitude":6.0},"duration":100.0,"#
        + #""distance":450.0,"movingDistance":400.0,"movingTime":40.0,"averageSpeed":10.0,"greatestSpeed":19.0,"ascent":29.0,"descent":28.0},"#
        + "\n"
        + #"{"type":"stop","arrival":"2026-09-21T14:13:20.000Z","departure":"2026-09-21T14:14:30.000Z","#
        + #""duration":70.0,"latitude":7.0,"longitude":8.0,"claimedAccuracy":2.46,"scatter":12.3,"accuracyDuration":70.0}]}"#
        + "\n")
  }
}
