import Foundation
import LocationKit
import NMEA
import TestSupport
import Testing

/// Whole recordings with what they must give, event by event.
@Suite(.inTurn) struct GoldenTests {
  private func text(_ event: LocationSourceEvent) -> String {
    func show(_ value: Double?, _ digits: Int) -> String { value.map { String(format: "%.\(digits)f", $0) } ?? "-" }
    switch event {
    case .location(let fix):
      return [
        iso(fix.timestamp) ?? "-", show(fix.coordinate.latitude, 7), show(fix.coordinate.longitude, 7),
        show(fix.altitude, 1), show(fix.ellipsoidalAltitude, 1), show(fix.speed, 3), show(fix.course, 1),
        show(fix.horizontalAccuracy, 2), show(fix.verticalAccuracy, 2), "\(fix.mode.rawValue)D",
        "\(fix.satellitesUsed.map(String.init) ?? "-")/\(fix.satellitesSeen.map(String.init) ?? "-")",
      ].joined(separator: " ")
    case .heading(let heading): return "heading \(show(heading.magneticHeading, 1)) \(show(heading.trueHeading, 1))"
    case .satellites(let list): return "satellites \(list.count(where: \.isUsed))/\(list.count)"
    case .noFix: return "no fix"
    default: return "\(event)"
    }
  }

  private func expect(_ recording: String, _ golden: String, sourceLocation: SourceLocation = #_sourceLocation) {
    let decoded = decode(recording).events.map(text).joined(separator: "\n")
    #expect(decoded == golden, sourceLocation: sourceLocation)
  }

  /// A multi-constellation receiver with GLL at the end of its cycle, across midnight.
  @Test func multiConstellationAcrossMidnight() {
    func cycle(_ time: String, _ date: String, _ minutes: String) -> String {
      lines(
        "GNRMC,\(time),A,5230.\(minutes),N,01324.10000,E,10.000,90.00,\(date),,,D,V",
        "GNVTG,90.00,T,,M,10.000,N,18.520,K,D",
        "GNGGA,\(time),5230.\(minutes),N,01324.10000,E,2,07,0.80,34.5,M,41.5,M,1.0,0123",
        "GNGSA,A,3,05,13,15,18,,,,,,,,,1.50,0.80,1.20,1", "GNGSA,A,3,66,67,76,,,,,,,,,,1.50,0.80,1.20,2",
        "GPGSV,1,1,04,05,71,041,45,13,58,280,41,15,44,145,36,18,37,318,34,1",
        "GLGSV,1,1,04,66,63,015,43,67,40,092,35,76,33,201,33,82,12,333,,1",
        "GNGLL,5230.\(minutes),N,01324.10000,E,\(time),A,D")
    }
    expect(
      cycle("235959.00", "311223", "00000") + cycle("000000.00", "010124", "00100")
        + cycle("000001.00", "010124", "00200"),
      """
      satellites 7/8
      2023-12-31T23:59:59.000Z 52.5000000 13.4016667 34.5 76.0 5.144 90.0 3.80 6.90 3D 7/8
      2024-01-01T00:00:00.000Z 52.5000167 13.4016667 34.5 76.0 5.144 90.0 3.80 6.90 3D 7/8
      2024-01-01T00:00:01.000Z 52.5000333 13.4016667 34.5 76.0 5.144 90.0 3.80 6.90 3D 7/8
      """)
  }

  /// A receiver that starts without time, finds it, gets a 2D fix, then 3D, and loses it again.
  @Test func fromColdStartToLoss() {
    expect(
      lines("GPGGA,,,,,,0,00,99.99,,,,,,", "GPRMC,,V,,,,,,,,,,N", "GPGSA,A,1,,,,,,,,,,,,,99.99,99.99,99.99")
        + lines("GPGGA,101500.00,,,,,0,02,99.99,,,,,,", "GPRMC,101500.00,V,,,,,,,050624,,,N")
        + lines(
          "GPGGA,101501.00,5112.00000,N,00012.00000,W,1,03,2.50,,M,,M,,",
          "GPRMC,101501.00,A,5112.00000,N,00012.00000,W,0.100,,050624,,,A", "GPGSA,A,2,02,05,12,,,,,,,,,,2.70,2.50,1.00"
        )
        + lines(
          "GPGGA,101502.00,5112.00010,N,00012.00000,W,1,05,1.50,80.0,M,47.0,M,,",
          "GPRMC,101502.00,A,5112.00010,N,00012.00000,W,0.100,,050624,,,A",
          "GPGSA,A,3,02,05,12,25,29,,,,,,,,2.70,1.50,2.00")
        + lines(
          "GPGGA,101503.00,5112.00010,N,00012.00000,W,0,00,99.99,,M,,M,,", "GPRMC,101503.00,V,,,,,,,050624,,,N",
          "GPGSA,A,1,,,,,,,,,,,,,99.99,99.99,99.99"),
      """
      no fix
      no fix
      2024-06-05T10:15:01.000Z 51.2000000 -0.2000000 - - 0.051 - 47.50 - 2D 3/-
      2024-06-05T10:15:02.000Z 51.2000017 -0.2000000 80.0 127.0 0.051 - 28.50 46.00 3D 5/-
      no fix
      """)
  }

  /// A boat's bus: the receiver, a compass, AIS, depth, and a lost byte.
  @Test func marineBus() {
    let bad = line("GPRMC,081502,A,3352.3000,S,15112.6000,E,6.1,181.0,150324,,").replacing("6.1", with: "6.7")
    expect(
      lines(
        "GPRMC,081500,A,3352.1000,S,15112.6000,E,6.0,180.0,150324,012.5,E", "HCHDG,167.5,,,12.5,E", "SDDBT,,f,4.1,M,,F")
        + "!AIVDM,1,1,,A,14eG;o@034o8sd<L9i:a;WF>062D,0*7D\r\n"
        + lines("GPRMC,081501,A,3352.2000,S,15112.6000,E,6.1,181.0,150324,012.5,E", "HCHDG,168.0,,,12.5,E") + bad
        + lines("HEHDT,181.0,T", "GPRMC,081503,A,3352.4000,S,15112.6000,E,6.2,182.0,150324,012.5,E"),
      """
      heading 167.5 180.0
      2024-03-15T08:15:00.000Z -33.8683333 151.2100000 - - 3.087 180.0 - - 2D -/-
      2024-03-15T08:15:01.000Z -33.8700000 151.2100000 - - 3.138 181.0 - - 2D -/-
      heading 168.0 180.5
      heading - 181.0
      2024-03-15T08:15:03.000Z -33.8733333 151.2100000 - - 3.190 182.0 - - 2D -/-
      """)
  }
}
