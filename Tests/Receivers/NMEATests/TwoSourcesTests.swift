import LocationKit
import NMEA
import TestSupport
import Testing

/// Values that two sentences of an epoch give, and values that a second episode shows.
@Suite(.inTurn) struct TwoSourcesTests {
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
    let (rmc, gga) = (rmc("123519"), line("GPGGA,\(position),2,08,0.9,545.4,M,46.9,M,,"))
    for text in [rmc + gga, gga + rmc] { #expect(decode(text).locations.last?.quality?.status == .differential) }
  }

  /// A receiver that says that a dilution is unknown does not mean that of an earlier epoch.
  @Test func anUnknownDilutionReplacesAnEarlierOne() {
    let epochs = ["0.9", "", "99.99", "1.5", "0"].enumerated().map { second, dilution in
      line("GPGGA,12352\(second),4807.038,N,01131.324,E,1,08,\(dilution),545.4,M,46.9,M,,")
    }
    let locations = decode(rmc("123519") + epochs.joined()).locations
    #expect(locations.suffix(5).map(\.quality?.hdop) == [0.9, 0.9, nil, 1.5, nil])
  }

  /// After a second loss of the date, too, a GGA waits for the RMC with the date.
  @Test func eachLossOfTheDateIsWaitedFor() {
    func epoch(_ second: Int) -> String { gga("1235\(second)") + rmc("1235\(second)") }
    let undated = (10..<16).map { gga("1235\($0)", "07.0\($0)") }
    let lost = line("GPRMC,,V,,,,,,,,,,N")
    let text = undated.joined() + lost + epoch(30) + epoch(31) + lost + epoch(40)
    let dates = decode(text).locations.dropFirst(undated.count).map { $0.timestamp != nil }
    #expect(dates == [true, true, true])
  }

  /// GSV names a satellite once for each of its frequencies, the stronger one first or last.
  @Test(arguments: [("45", "38"), ("38", "45"), ("", "45")])
  func theStrongerSignalCounts(first: String, second: String) {
    let text = lines("GPGSV,1,1,01,05,71,041,\(first),1", "GPGSV,1,1,01,05,71,041,\(second),8", "GPTXT,01,01,02,end")
    #expect(decode(text).satellites.map(\.signal) == [45])
  }
}
