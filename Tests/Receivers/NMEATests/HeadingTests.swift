import LocationKit
import NMEA
import TestSupport
import Testing

@Suite(.inTurn) struct HeadingTests {
  @Test(
    arguments: [
      // sentence, magnetic, true
      ("HEHDT,341.8,T", nil, 341.8), ("HCHDM,101.1,M", 101.1, nil), ("GNTHS,121.15,A", nil, 121.15),
      ("SDHDG,234.6,,,1.4,E", 234.6, 236.0), ("HCHDG,1.5,,,3.5,W", 1.5, 358.0), ("HCHDG,101.1,,,,", 101.1, nil),
      ("HCHDG,10.0,2.0,E,3.0,E", 12.0, 15.0), ("HCHDG,10.0,2.0,W,3.0,E", 8.0, 11.0),
      ("HCHDG,355.0,10.0,E,3.0,E", 5.0, 8.0), ("HCHDG,2.0,5.0,W,3.0,E", 357.0, 0.0),
      ("PASHR,130533.620,0.311,T,-80.467,-1.395,,0.066,0.067,0.215,2,3", nil, 0.311),
      ("PTNTHTM,14223,N,169,N,-43,N,13641,2454", nil, nil), ("PTNTHTM,285.3,N,-1.2,N,0.4,N,60.1,2454", nil, 285.3),
      ("PSTI,036,054314.000,030521,191.69,-16.35,0.00,R", nil, 191.69),
    ] as [(String, Double?, Double?)])
  func headings(_ body: String, _ magnetic: Double?, _ trueHeading: Double?) {
    let heading = decode(line(body)).headings.first
    #expect((heading?.magneticHeading, heading?.trueHeading) == (magnetic, trueHeading))
  }

  @Test(arguments: [
    "HEHDT,,T", "HEHDT,400.0,T", "HEHDT,-1,T", "GNTHS,121.15,V", "GNTHS,121.15,", "HCHDG,,,,1.4,E",
    "PSTI,036,054314.000,030521,191.69,-16.35,0.00,N",
  ])
  func unknownIsNoHeading(_ body: String) {
    #expect(decode(line(body)).headings.isEmpty)
  }

  @Test func aHeadingIsNoCourseAndACourseNoHeading() {
    let rmc = "GPRMC,123519,A,4807.038,N,01131.324,E,022.4,,230324,,"
    let decoded = decode(lines(rmc, "SDHDG,234.6,,,1.3,E"))
    #expect(decoded.locations.map(\.course) == [nil])
    #expect(decode(line("GPRMC,123519,A,4807.038,N,01131.324,E,022.4,084.4,230324,,")).headings.isEmpty)
  }

  @Test func timeOnlyFromTheSensor() {
    #expect(decode(line("HEHDT,341.8,T")).headings.first?.timestamp == nil)
    let timed = decode(line("PSTI,036,054314.000,030521,191.69,-16.35,0.00,R")).headings.first
    #expect(iso(timed?.timestamp) == "2021-05-03T05:43:14.000Z")
  }
}
