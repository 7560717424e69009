import Foundation
import LocationKit
import NMEA
import TestSupport
import Testing

/// Values at their limits, and what an epoch must not keep of the one before.
@Suite(.inTurn) struct LimitTests {
  @Test(
    arguments: [
      ("GNGNS,123519,4807.038,N,01131.324,E,AN,03,0.9,545.4,46.9,,", .twoDimensional),
      ("GNGNS,123519,4807.038,N,01131.324,E,AN,04,0.9,545.4,46.9,,", .threeDimensional),
      ("GPGGA,123560,9000.000,N,18000.000,W,1,04,0.9,545.4,M,46.9,M,,", .threeDimensional),
      ("GPGGA,123561,4807.038,N,01131.324,E,1,04,0.9,545.4,M,46.9,M,,", .threeDimensional),
      ("GPGGA,123519,9000.001,N,01131.324,E,1,04,0.9,545.4,M,46.9,M,,", nil),
      ("GPGGA,123519,4807.038,N,18000.001,E,1,04,0.9,545.4,M,46.9,M,,", nil),
      ("GPGGA,240000,4807.038,N,01131.324,E,1,04,0.9,545.4,M,46.9,M,,", .threeDimensional),
    ] as [(String, FixMode?)])
  func atTheLimits(_ body: String, _ mode: FixMode?) {
    let decoded = decode(line(body))
    #expect(decoded.locations.first?.mode == mode)
    let isBad = ["123561", "9000.001", "18000.001", "240000"].contains(where: body.contains)
    #expect(decoded.statistics.outOfRange == (isBad ? 1 : 0))
  }

  /// 10 ms are the least that two epochs lie apart, and an epoch that has no date goes out with its end from the fourth on.
  @Test func epochsAreTenMillisecondsApart() {
    #expect(decode(rmc("123519.000") + rmc("123519.009")).locations.count == 1)
    #expect(decode(rmc("123519.000") + rmc("123519.010")).locations.count == 2)
    #expect(locationCounts(after: (0..<6).map { gga("12351\($0)") }) == [0, 1, 2, 4, 5, 6])
  }

  @Test func aKindThatCameTwiceOnceMayEndLaterEpochs() {
    let (first, second, third) = ("123501", "123502", "123503")
    let texts = [rmc(first), gga(first), rmc(first), gga(second), rmc(second), gga(third), rmc(third)]
    #expect(locationCounts(after: texts).last == 3)
  }

  @Test func theSatellitesThatGSANamesCountMoreThanANumber() {
    let gsa = line("GPGSA,A,3,05,13,15,18,20,,,,,,,,1.3,0.8,1.0")
    let locations = decode((0..<3).map { rmc("12351\($0)") + gga("12351\($0)") + gsa }.joined()).locations
    #expect(locations.first?.satellitesUsed == 5)
    #expect(decode(gsa + gga("123519")).locations.first?.satellitesUsed == 8)
  }

  /// It says so at once, and again in each cycle.
  @Test func aReceiverThatLosesItsTimeHasNoFix() {
    let drive = (0..<4).map { rmc("12351\($0)") + gga("12351\($0)") }.joined()
    let lost = line("GPRMC,,V,,,,,,,,,,N") + line("GPGGA,,,,,,0,,,,,,,,")
    for cycles in 1...3 {
      let decoded = decode(drive + String(repeating: lost, count: cycles) + drive)
      #expect(decoded.locations.count == 8)
      #expect(decoded.noFixCount == cycles)
      #expect(decoded.events[4] == .noFix)
    }
  }

  /// As in gpsd: a receiver that says that it does not know the date has lost it.
  @Test func aVoidRMCWithoutADateTakesTheDateAway() {
    func dates(_ void: String) -> [Bool] {
      decode(rmc("123518") + gga("123518") + line(void) + gga("123520")).locations.map { $0.timestamp != nil }
    }
    #expect(dates("GPRMC,123519,V,,,,,,,,,") == [true, false])
    #expect(dates("GPRMC,,V,,,,,,,230324,,") == [true, false])
    #expect(dates("GPRMC,123519,V,,,,,,,230324,,") == [true, true])
  }
}
