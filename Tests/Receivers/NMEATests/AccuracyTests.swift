import LocationKit
import NMEA
import TestSupport
import Testing

/// gpsd's error model, and nothing beyond it.
@Suite(.inTurn) struct AccuracyTests {
  private let rmc = "GPRMC,123519,A,4807.038,N,01131.324,E,022.4,084.4,230324,,"
  private func gga(quality: Int = 1, hdop: String = "0.9") -> String {
    "GPGGA,123519,4807.038,N,01131.324,E,\(quality),08,\(hdop),545.4,M,46.9,M,,"
  }

  private func near(_ value: Double?, _ expected: Double) -> Bool { value.map { abs($0 - expected) < 1e-9 } ?? false }

  private func isAccurate(_ fix: Location?, _ horizontal: Double, _ vertical: Double) -> Bool {
    near(fix?.horizontalAccuracy, horizontal) && near(fix?.verticalAccuracy, vertical)
  }

  @Test func dilutionsTimesUserRangeErrors() {
    let gsa = "GPGSA,A,3,05,13,15,18,,,,,,,,,1.3,0.8,1.0"
    #expect(isAccurate(location(gga(), gsa), 0.9 * 19, 1.0 * 23))
    #expect(isAccurate(location(gga(quality: 2), gsa), 0.9 * 4.75, 1.0 * 5.75))
  }

  /// A GST changes nothing.
  @Test(arguments: ["GPTXT,", "GPGST,123519,1.1,2.2,1.3,45,1.5,1.6,2.7"])
  func withoutDilutionThereIsNoAccuracy(_ after: String) throws {
    let fix = try #require(location(rmc, after, dated: false))
    #expect(
      [fix.horizontalAccuracy, fix.verticalAccuracy, fix.speedAccuracy, fix.courseAccuracy].allSatisfy { $0 == nil })
  }

  /// Would fail if a field were taken for its neighbour, or if a station or an age were told without a correction.
  @Test func qualityIsOfGGAAndGSA() {
    let correction = "GPGGA,123519,4807.038,N,01131.324,E,4,08,0.9,545.4,M,46.9,M,1.5,0123"
    #expect(
      location(correction, "GPGSA,A,3,01,02,03,04,05,,,,,,,,2.5,1.3,2.1")?.quality
        == GNSSQuality(
          status: .rtkFixed, hdop: 1.3, vdop: 2.1, pdop: 2.5, geoidSeparation: 46.9, dgpsAge: 1.5, dgpsStation: 123))
    for without in [",", ",0000", "0.0,0000", "0,0"] {
      let plain = "GPGGA,123519,4807.038,N,01131.324,E,1,08,0.9,545.4,M,46.9,M,\(without)"
      #expect(location(plain)?.quality == GNSSQuality(hdop: 0.9, geoidSeparation: 46.9), "\(without)")
    }
    // A correction may be brand-new, and may come from a station without a number.
    for (with, station) in [("0.0,0133", 133), ("1.5,0000", 0)] {
      let corrected = "GPGGA,123519,4807.038,N,01131.324,E,2,08,0.9,545.4,M,46.9,M,\(with)"
      #expect(location(corrected)?.quality?.dgpsStation == station)
    }
  }

  @Test(
    arguments: [
      ("98.9", true), ("99", false), ("99.0", false), ("99.99", false), ("100", false), ("0.0", false), ("00.0", false),
      ("", false),
    ])
  func receiversSay99Or0ForUnknown(_ hdop: String, _ isKnown: Bool) throws {
    let fix = try #require(location(gga(hdop: hdop)))
    #expect((fix.horizontalAccuracy != nil) == isKnown)
  }

  @Test func gbs() {
    let fix = location(rmc, "GPGBS,123519,3.0,4.0,5.5,,,,", dated: false)
    #expect(near(fix?.horizontalAccuracy, 5))
    #expect(near(fix?.verticalAccuracy, 5.5) == false)
    #expect(isAccurate(location(gga(hdop: ""), "GPGBS,123519,3.0,4.0,5.5,,,,"), 5, 5.5))
  }

  @Test func garminErrorsAreStretchedFrom50To95Percent() {
    let fix = location(gga(hdop: ""), "PGRME,10.0,M,15.0,M,18.0,M")
    #expect(isAccurate(fix, 10 * 1.96 / 0.6745, 15 * 1.96 / 0.6745))
  }

  @Test func sirfErrors() {
    let fix = location(gga(hdop: ""), "PSRFEPE,123519.000,A,0.7,6.82,10.69,0.5,180.0")
    #expect(isAccurate(fix, 6.82, 10.69))
    #expect(near(fix?.speedAccuracy, 0.5) && near(fix?.courseAccuracy, 180))
  }
}
