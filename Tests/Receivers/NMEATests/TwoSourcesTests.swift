import LocationKit
import NMEA
import Testing

/// Values that two sentences of an epoch give, and values that a second episode shows.
@Suite struct TwoSourcesTests {
  private let rmc = "GPRMC,123519,A,4807.038,N,01131.324,E,022.4,084.4,230324,,"
  private let position = "123519,4807.038,N,01131.324,E"

  private func last(_ bodies: [String]) -> Location? {
    decode(line("GPZDA,123519,23,03,2024,00,00") + bodies.map { line($0) }.joined()).locations.last
  }

  /// In both orders.
  @Test(arguments: [("12", "08", 12), ("08", "12", 12), ("08", "", 8), ("", "", nil)] as [(String, String, Int?)])
  func theLargerCountOfSatellitesCounts(gga: String, gns: String, count: Int?) {
    let sentences = [
      "GPGGA,\(position),1,\(gga),0.9,545.4,M,46.9,M,,", "GPGNS,\(position),A,\(gns),0.9,545.4,46.9,,",
    ]
    #expect(last(sentences)?.satellitesUsed == count)
    #expect(last(sentences.reversed())?.satellitesUsed == count)
    // The satellites that GSA names come before both, unless it names none.
    let named = "GPGSA,A,3,05,13,15,18,20,,,,,,,,1.3,0.8,1.0"
    #expect(last(sentences + [named])?.satellitesUsed == 5)
    #expect(last([sentences[0], named, sentences[1]])?.satellitesUsed == 5)
    #expect(last(sentences + ["GPGSA,A,3,,,,,,,,,,,,,1.3,0.8,1.0"])?.satellitesUsed == count ?? 0)
  }

  @Test(arguments: [
    ("GPGGA,123519,4807.038,N,01131.324,E,1,08,0.9,545.4,M,46.9,M,,", "GNGNS,123519,,,,,NN,00,,,,,"),
    ("GPGGA,123519,,,,,0,00,,,M,,M,,", "GNGNS,123519,4807.038,N,01131.324,E,AN,08,0.9,545.4,46.9,,"),
  ])
  func aFixOfOneSentenceIsAFix(first: String, second: String) {
    #expect(last([first, second])?.satellitesUsed == 8 && last([second, first])?.satellitesUsed == 8)
  }

  @Test func theBetterStatusCounts() {
    let gga = "GPGGA,\(position),2,08,0.9,545.4,M,46.9,M,,"
    for sentences in [[rmc, gga], [gga, rmc]] { #expect(last(sentences)?.quality?.status == .differential) }
  }

  /// A receiver that says that a dilution is unknown does not mean that of an earlier epoch.
  @Test func anUnknownDilutionReplacesAnEarlierOne() {
    func gga(_ second: Int, _ dilution: String) -> String {
      "GPGGA,12352\(second),4807.038,N,01131.324,E,1,08,\(dilution),545.4,M,46.9,M,,"
    }
    let locations = decode(lines(rmc, gga(0, "0.9"), gga(1, ""), gga(2, "99.99"), gga(3, "1.5"), gga(4, "0"))).locations
    #expect(locations.suffix(5).map(\.quality?.hdop) == [0.9, 0.9, nil, 1.5, nil])
  }

  /// After a second loss of the date, too, a GGA waits for the RMC with the date.
  @Test func eachLossOfTheDateIsWaitedFor() {
    func epoch(_ second: Int) -> String {
      let gga = "GPGGA,1235\(second),4807.038,N,01131.324,E,1,08,0.9,545.4,M,46.9,M,,"
      return lines(gga, "GPRMC,1235\(second),A,4807.038,N,01131.324,E,022.4,084.4,230324,,")
    }
    let undated = (10..<16).map { line("GPGGA,1235\($0),4807.0\($0),N,01131.324,E,1,08,0.9,545.4,M,46.9,M,,") }
    let lost = line("GPRMC,,V,,,,,,,,,,N")
    let text = undated.joined() + lost + epoch(30) + epoch(31) + lost + epoch(40)
    let dates = decode(text).locations.dropFirst(undated.count).map { $0.timestamp != nil }
    #expect(dates == [true, true, true])
  }

  @Test func aLaterListenerGetsTheSatellitesAgain() {
    let series = lines("GPGSV,1,1,01,05,71,041,45", "GPTXT,01,01,02,end")
    var decoder = NMEADecoder()
    func count() -> Int {
      var count = 0
      decoder.decode(series.utf8) { if case .satellites = $0 { count += 1 } }
      return count
    }
    #expect(count() == 1 && count() == 0)
    decoder.interests = .locations
    #expect(count() == 0)
    decoder.interests = .all
    #expect(count() == 1 && count() == 0)
  }

  /// GSV names a satellite once for each of its frequencies, the stronger one first or last.
  @Test(arguments: [("45", "38"), ("38", "45"), ("", "45")])
  func theStrongerSignalCounts(first: String, second: String) {
    let text = lines("GPGSV,1,1,01,05,71,041,\(first),1", "GPGSV,1,1,01,05,71,041,\(second),8", "GPTXT,01,01,02,end")
    #expect(decode(text).satellites.map(\.signal) == [45])
  }

  /// A time that goes back by more than half a day is midnight only without a date.
  @Test(arguments: [("010524", "2024-05-01T02:00:00.000Z"), ("", "2024-05-02T02:00:00.000Z")])
  func aDatedStepBackIsNotMidnight(date: String, time: String) {
    let text = line("GPRMC,200000,A,4807.038,N,01131.324,E,022.4,084.4,010524,,")
    let next = "020000,A,4807.038,N,01131.324,E,022.4,084.4"
    let step =
      date.isEmpty
      ? line("GPGGA,020000,4807.038,N,01131.324,E,1,08,0.9,545.4,M,46.9,M,,") : line("GPRMC,\(next),\(date),,")
    #expect(decode(text + step).locations.map { iso($0.timestamp) } == ["2024-05-01T20:00:00.000Z", time])
  }

  /// Half a day back is the clock that was set, and a little more is midnight.
  @Test(arguments: [("080000", "2024-05-01T08:00:00.000Z"), ("075959", "2024-05-02T07:59:59.000Z")])
  func halfADayBackIsNotMidnight(time: String, expected: String) {
    let text = lines(
      "GPRMC,200000,A,4807.038,N,01131.324,E,022.4,084.4,010524,,",
      "GPGGA,\(time),4807.038,N,01131.324,E,1,08,0.9,545.4,M,46.9,M,,")
    #expect(decode(text).locations.map { iso($0.timestamp) }.last == expected)
  }
}
