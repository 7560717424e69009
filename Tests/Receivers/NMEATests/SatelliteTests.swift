import Foundation
import LocationKit
import NMEA
import TestSupport
import Testing

@Suite(.inTurn) struct SatelliteTests {
  private func counts(_ decoded: Decoded) -> [[Int]] {
    decoded.events.compactMap { event in
      if case .satellites(let list) = event { [list.count, list.count(where: \.isUsed)] } else { nil }
    }
  }

  @Test func seenAndUsedOverConstellations() {
    let decoded = decode(
      lines(
        "GPGSA,A,3,05,13,15,18,20,,,,,,,,1.3,0.8,1.0", "GLGSA,A,3,66,67,76,,,,,,,,,,1.3,0.8,1.0",
        "GPGSV,2,1,06,05,71,041,45,13,58,280,41,15,44,145,36,18,37,318,34", "GPGSV,2,2,06,20,29,061,31,29,07,012,",
        "GLGSV,1,1,04,66,63,015,43,67,40,092,35,76,33,201,33,82,12,333,", "GPTXT,01,01,02,end"))
    #expect(counts(decoded) == [[10, 8]])
    #expect(decoded.satellites.count == 10 && decoded.satellites.count(where: \.isUsed) == 8)
    let first = Satellite(system: .gps, number: 5, azimuth: 41, elevation: 71, signal: 45, isUsed: true)
    #expect(decoded.satellites.first == first)
    #expect(decoded.satellites.last == Satellite(system: .glonass, number: 18, azimuth: 333, elevation: 12))
  }

  private static let end = "GPTXT,01,01,02,end"
  private static let one = ["GPGSV,1,1,01,05,71,041,45", end]
  private static let four = ["GPGSV,1,1,04,05,71,041,45,13,58,280,41,15,44,145,36,18,37,318,34", end]

  /// A receiver that lost its satellites repeats its last GGA: the GSA after it does not count.
  private static func gsaAfter(_ second: String) -> [String] {
    let place = ",4807.038,N,01131.324,E,1,08,0.9,545.4,M,46.9,M,,"
    let (four, three) = ("GPGSA,A,3,05,13,15,18,,,,,,,,,1.3,0.8,1.0", "GPGSA,A,3,05,13,15,,,,,,,,,,1.3,0.8,1.0")
    return ["GPGGA,123519" + place, four, second + place, three] + Self.four
  }

  /// Sentences, and how many satellites are seen and used whenever that is said.
  @Test(
    arguments: [
      (
        "a full GSA has twelve",
        ["GPGSA,A,3,11,12,13,14,15,16,17,18,19,20,21,22,1.3,0.8,1.0"]
          + [11, 15, 19].enumerated().map { index, first in
            "GPGSV,3,\(index + 1),12," + (first..<first + 4).map { "\($0),10,020,30" }.joined(separator: ",")
          } + [end], [[12, 12]]
      ),
      (
        "a system's id is no satellite",
        [
          "GNGSA,A,3,05,13,15,,,,,,,,,,2.3,0.8,1.0,1", "GNGSA,A,3,05,13,,,,,,,,,,,2.3,0.8,1.0,3",
          "GPGSV,1,1,01,05,71,041,45,1", end,
        ], [[1, 1]]
      ),
      (
        "a repeated GSA of one talker replaces the first",
        ["GPGSA,A,3,05,13,15,18,,,,,,,,,1.3,0.8,1.0", "GPGSA,A,3,05,13,,,,,,,,,,,1.3,0.8,1.0"] + four, [[4, 2]]
      ),
      (
        "GN is the talker of all constellations in a cycle, and of the next cycle",
        ["GNGSA,A,3,05,13,15,,,,,,,,,,1.3,0.8,1.0"] + four + ["GNGSA,A,3,05,,,,,,,,,,,,1.3,0.8,1.0"] + four,
        [[4, 3], [4, 1]]
      ),
      (
        "a GSA may have thirty fields",
        ["GPGSA,A,3,05,23,13,07,25" + String(repeating: ",", count: 20) + "07.9,06.0,05.2"] + one, [[1, 1]]
      ),
      ("a GSA after a repeated time does not count", gsaAfter("GPGGA,123519"), [[4, 4]]),
      ("a GSA after the next time does", gsaAfter("GPGGA,123520"), [[4, 3]]),
      ("and one after the same time of another talker", gsaAfter("GNGGA,123519"), [[4, 3]]),
      ("what has not changed is said once", one + one + one, [[1, 0]]),
      ("a signal that has changed is said", one + ["GPGSV,1,1,01,05,71,041,44", end], [[1, 0], [1, 0]]),
      (
        "a satellite that is used from now on is said", one + ["GPGSA,A,3,05,,,,,,,,,,,,1.3,0.8,1.0"] + one,
        [[1, 0], [1, 1]]
      ),
      ("the last of a recording are said", one + ["GPGSV,1,1,02,05,71,041,45,13,58,280,41"], [[1, 0], [2, 0]]),
    ] as [(String, [String], [[Int]])])
  func satellitesAreCounted(_ what: String, _ bodies: [String], _ expected: [[Int]]) {
    #expect(counts(decode(bodies.map { line($0) }.joined())) == expected)
  }

  @Test func theEndOfTheLastLineMayBeMissing() {
    #expect(counts(decode(line("GPGSV,1,1,01,05,71,041,45", end: ""))) == [[1, 0]])
  }

  @Test(arguments: [
    ("GPGSV,1,1,01,33,1,2,3", Satellite.System.sbas, 120), ("GPGSV,1,1,01,133,1,2,3", .sbas, 133),
    ("GPGSV,1,1,01,193,1,2,3", .qzss, 1), ("GNGSV,1,1,01,70,1,2,3", .glonass, 6),
    ("GLGSV,1,1,01,06,1,2,3", .glonass, 6),
    ("GAGSV,1,1,01,11,1,2,3,7", .galileo, 11), ("GAGSV,1,1,01,311,1,2,3", .galileo, 11),
    ("GBGSV,1,1,01,14,1,2,3", .beidou, 14), ("BDGSV,1,1,01,214,1,2,3", .beidou, 14),
    ("GPGSV,1,1,01,414,1,2,3", .beidou, 14), ("GQGSV,1,1,01,02,1,2,3", .qzss, 2), ("QZGSV,1,1,01,194,1,2,3", .qzss, 2),
    ("PQGSV,1,1,01,03,1,2,3", .qzss, 3), ("GIGSV,1,1,01,04,1,2,3", .navic, 4),
  ])
  func numbering(_ body: String, _ system: Satellite.System, _ number: Int) {
    let satellite = decode(line(body)).satellites.first
    #expect(satellite?.system == system && satellite?.number == number)
  }

  /// Quectel names BeiDou's satellites by PQ too, with the system's id at the end.
  @Test func theSystemIDOfPQCounts() {
    let decoded = decode(
      lines(
        "PQGSV,2,1,05,02,20,116,30,03,30,100,31,05,34,137,32,07,05,046,33,0,4", "PQGSV,2,2,05,09,16,120,34,0,4",
        "PQGSA,A,3,02,03,,,,,,,,,,,1.2,0.9,0.9,4", "GPTXT,01,01,02,end"),
      strict: true)
    #expect(decoded.problems.isEmpty)
    #expect(decoded.satellites.map(\.number) == [2, 3, 5, 7, 9])
    #expect(decoded.satellites.allSatisfy { $0.system == .beidou })
    #expect(decoded.satellites.filter(\.isUsed).map(\.number) == [2, 3])
    #expect(decode(line("PQGSV,1,1,01,03,1,2,3,0,5")).satellites.first?.system == .qzss)
  }

  /// Some receivers of GPS alone have another number where NMEA 4.11 has the system.
  @Test(arguments: ["2.3", "2", "", "99"])
  func anIDBehindGPSOwnSatellitesIsNoSystem(_ last: String) {
    let decoded = decode(
      lines(
        "GPGSA,A,3,25,32,12,14,,,,,,,,,2.1,1.3,1.8,\(last)",
        "GPGSV,1,1,04,25,70,260,46,32,53,162,46,12,20,100,40,14,30,200,41", "GPTXT,01,01,02,end"))
    #expect(counts(decoded) == [[4, 4]])
    #expect(decoded.satellites.allSatisfy { $0.system == .gps })
  }

  @Test(arguments: ["GPGSV,1", "GPGSV,1,0,01,05,71,041,45", "GPGSV,1,1,01,05,71", "GPGSV,1,1,01,05,71,041"])
  func malformedSeries(_ body: String) { #expect(decode(line(body)).statistics.malformed == 1) }

  private func series(_ second: Int) -> String {
    lines(
      "GPGSA,A,3,05,13,15,18,20,,,,,,,,1.3,0.8,1.0",
      "GPGSV,2,1,06,05,71,041,45,13,58,280,41,15,44,145,36,18,37,318,34", "GPGSV,2,2,06,20,29,061,31,29,07,012,",
      "GPRMC,12351\(second),A,4807.038,N,01131.000,E,022.4,084.4,230324,,,A", "HEHDT,123.4,T")
  }

  /// The events of one decoder that is fed again and again, with what is wanted meanwhile.
  private func events(_ wanted: [LocationSourceInterests]) -> [[LocationSourceEvent]] {
    var decoder = NMEADecoder()
    return wanted.enumerated().map { second, interests in
      decoder.interests = interests
      var events: [LocationSourceEvent] = []
      decoder.decode(Array(series(second).utf8)) { events.append($0) }
      return events
    }
  }

  @Test func whatNobodyWantsIsNotMade() {
    func kinds(_ events: [LocationSourceEvent]) -> [String] { events.map { String("\($0)".prefix { $0 != "(" }) } }
    let all = events([.all, .all]).map(kinds)
    // Satellites that have not changed are not repeated.
    #expect(all == [["satellites", "heading"], ["location", "heading"]])
    #expect(events([.locations, .locations]).map(kinds) == [[], ["location"]])
    #expect(events([.locations, [.locations, .headings]]).map(kinds) == [[], ["location", "heading"]])
    // Whoever comes to want the satellites hears of them with the next series, although nothing has changed.
    let late = events([.all, .locations, .all]).map { $0.filter { if case .satellites = $0 { true } else { false } } }
    #expect(late[1] == [] && late[2] == late[0] && late[0].count == 1)
  }

  @Test func aLocationIsTheSameWhoeverWantsSatellites() throws {
    let bytes = try Data(contentsOf: Checkout.file("Recordings/drive.nmea"))
    func read(_ interests: LocationSourceInterests) -> (locations: [LocationSourceEvent], statistics: NMEAStatistics) {
      var decoder = NMEADecoder()
      decoder.interests = interests
      var events: [LocationSourceEvent] = []
      decoder.decode(bytes) { if case .location = $0 { events.append($0) } }
      decoder.finish { if case .location = $0 { events.append($0) } }
      return (events, decoder.statistics)
    }
    let (all, fewer) = (read(.all), read(.locations))
    #expect(all.locations.count > 600)
    #expect(all.locations == fewer.locations, "the numbers of satellites seen and used included")
    #expect(all.statistics == fewer.statistics)
  }
}
