import Foundation
import LocationKit
import NMEA
import TestSupport
import Testing

@Suite(.inTurn) struct SentenceTests {
  @Test func gga() throws {
    let fix = try #require(location("GPGGA,123519,4807.038,N,01131.324,E,1,08,0.9,545.4,M,46.9,M,,"))
    #expect(abs(fix.coordinate.latitude - 48.1173) < 1e-12)
    #expect(abs(fix.coordinate.longitude - 11.522066666666667) < 1e-12)
    #expect(fix.mode == .threeDimensional)
    #expect(fix.satellitesUsed == 8)
    #expect(iso(fix.timestamp) == "2024-06-01T12:35:19.000Z")
    #expect((fix.altitude, fix.speed, fix.course) == (545.4, nil, nil))
  }

  @Test(arguments: [
    // quality, satellites, altitude, mode
    ("1", "08", "545.4", FixMode.threeDimensional), ("2", "04", "545.4", .threeDimensional),
    ("4", "12", "545.4", .threeDimensional), ("5", "12", "545.4", .threeDimensional),
    ("1", "03", "545.4", .twoDimensional), ("1", "08", "", .twoDimensional), ("6", "04", "1", .threeDimensional),
    ("8", "04", "1", .threeDimensional), ("", "08", "545.4", .threeDimensional),
  ])
  func ggaModes(_ quality: String, _ satellites: String, _ altitude: String, _ mode: FixMode) {
    let fix = location("GPGGA,123519,4807.038,N,01131.324,E,\(quality),\(satellites),0.9,\(altitude),M,46.9,M,,")
    #expect(fix?.mode == mode)
  }

  @Test(arguments: [
    "GPGGA,123519,4807.038,N,01131.324,E,0,08,,5,M,,M,,", "GPRMC,123519,V,4807.038,N,01131.324,E,,,230324,,",
  ])
  func aQualityOf0AndAVoidAreNoFix(_ body: String) {
    #expect(decode(line(body)).events == [.noFix])
  }

  /// A GGA may count the satellites of GPS alone, or none while the receiver reckons.
  @Test(arguments: [("1", "02"), ("1", "00"), ("2", "00"), ("6", "00"), ("1", "")])
  func aCountOfSatellitesIsNoVeto(_ quality: String, _ satellites: String) {
    let decoded = decode(line("GPGGA,123519,4807.038,N,01131.324,E,\(quality),\(satellites),,5,M,,M,,"))
    #expect(decoded.locations.map(\.mode) == [.threeDimensional])
    #expect(decoded.locations.first?.satellitesUsed == Int(satellites))
    #expect(decoded.noFixCount == 0)
  }

  @Test func ggaWithoutGeoidKnowsNoEllipsoidalAltitude() throws {
    let fix = try #require(location("GPGGA,123519,4807.038,N,01131.324,E,1,08,0.9,545.4,M,,M,,"))
    #expect((fix.altitude, fix.ellipsoidalAltitude) == (545.4, nil))
  }

  @Test(arguments: ["N", "S"], ["E", "W"])
  func hemispheres(_ northSouth: String, _ eastWest: String) throws {
    let fix = try #require(location("GPGGA,123519,4807.038,\(northSouth),01131.324,\(eastWest),1,08,0.9,5,M,4,M,,"))
    #expect((fix.coordinate.latitude > 0) == (northSouth == "N"))
    #expect((fix.coordinate.longitude > 0) == (eastWest == "E"))
  }

  @Test(arguments: [
    ("4807.03", 48.117166666666667), ("4807.038", 48.1173), ("4807.0381234", 48.11730205666667),
    ("4807.03812345", 48.117302057500000), ("4807.0381234567", 48.11730205761167), ("4807", 48.116666666666667),
    ("4807.", 48.116666666666667), ("0000.00001", 1.6666666666666667e-7), ("9000.0000", 90),
  ])
  func minutesOfAnyPrecision(_ field: String, _ degrees: Double) throws {
    let fix = try #require(location("GPGGA,123519,\(field),N,01131.324,E,1,08,0.9,5,M,4,M,,"))
    #expect(abs(fix.coordinate.latitude - degrees) <= degrees.ulp)
  }

  @Test(arguments: [
    ("123519", 0), ("123519.", 0), ("123519.5", 500), ("123519.25", 250), ("123519.125", 125),
    ("123519.1254", 125), ("123519.123456789", 123),
  ])
  func secondsOfAnyPrecision(_ field: String, _ milliseconds: Int) throws {
    let fix = try #require(location("GPGGA,\(field),4807.038,N,01131.324,E,1,08,0.9,5,M,4,M,,"))
    let seconds = try #require(fix.timestamp).timeIntervalSince1970
    #expect(Int(((seconds - 1_717_245_319) * 1000).rounded()) == milliseconds)
  }

  /// Sea level is below the ellipsoid in most of America and above it in Europe.
  @Test(arguments: [("46.9", 592.3), ("-33.3", 512.1), ("0.0", 545.4)])
  func theGeoidsSign(_ separation: String, _ ellipsoidal: Double) throws {
    let gga = try #require(location("GPGGA,123519,4807.038,N,01131.324,E,1,08,0.9,545.4,M,\(separation),M,,"))
    #expect(gga.altitude == 545.4)
    #expect(abs(try #require(gga.ellipsoidalAltitude) - ellipsoidal) < 1e-9)
    // The other way round: PUBX gives the height above the ellipsoid, GGA the separation.
    let both = try #require(
      location(
        "GPGGA,123519,4807.038,N,01131.324,E,1,08,0.9,,M,\(separation),M,,",
        "PUBX,00,123519,4807.038,N,01131.324,E,\(ellipsoidal),G3,2.1,2.0,0.036,77.52,-0.007,,0.92,1.19,0.77,9,0,0"))
    #expect(both.ellipsoidalAltitude == ellipsoidal)
    #expect(abs(try #require(both.altitude) - 545.4) < 1e-9)
  }

  /// A leap second has the number 60, and is as long as any: the next day begins after it.
  @Test func aLeapSecondIsASecond() {
    let decoded = decode(
      lines(
        "GPRMC,235959,A,4807.038,N,01131.324,E,022.4,084.4,311216,,",
        "GPRMC,235960,A,4807.038,N,01131.324,E,022.4,084.4,311216,,",
        "GPRMC,000001,A,4807.038,N,01131.324,E,022.4,084.4,010117,,"))
    #expect(
      decoded.locations.map { iso($0.timestamp) } == [
        "2016-12-31T23:59:59.000Z", "2017-01-01T00:00:00.000Z", "2017-01-01T00:00:01.000Z",
      ])
    #expect(decoded.statistics.outOfRange == 0)
    #expect(decode(line("GPRMC,235961,A,4807.038,N,01131.324,E,022.4,084.4,311216,,")).statistics.outOfRange == 1)
  }

  @Test(arguments: ["", ",,A", ",003.1,W,A", ",003.1,W,A,V", ",,,D", ",,,R,S"])
  func rmcOfAnyLength(_ tail: String) throws {
    let fix = try #require(
      location("GPRMC,123519.50,A,4807.038,S,01131.324,W,022.4,084.4,230394\(tail)", dated: false))
    #expect(abs(fix.coordinate.latitude + 48.1173) < 1e-12)
    #expect(abs(fix.coordinate.longitude + 11.522066666666667) < 1e-12)
    let speed: Double = 22.4 * 1852 / 3600
    #expect(abs(try #require(fix.speed) - speed) < 1e-12)
    #expect((fix.course, fix.altitude, fix.mode) == (84.4, nil, .twoDimensional))
    #expect(iso(fix.timestamp) == "1994-03-23T12:35:19.500Z")
  }

  @Test(arguments: [("1,360.0", 0, true), ("1,-10", 350, true), (",", nil, false)] as [(String, Double?, Bool)])
  func courseIsNormalizedAndMayBeUnknown(_ fields: String, _ course: Double?, _ hasSpeed: Bool) throws {
    let fix = try #require(location("GPRMC,123519,A,4807.038,N,01131.324,E,\(fields),230324,,", dated: false))
    #expect(fix.course == course)
    #expect((fix.speed != nil) == hasSpeed)
  }

  @Test func gll() throws {
    let fix = try #require(location("GPGLL,4916.45,N,12311.12,W,225444,A,A"))
    #expect(abs(fix.coordinate.latitude - 49.274166666666667) < 1e-12)
    #expect(abs(fix.coordinate.longitude + 123.18533333333333) < 1e-12)
    #expect(location("GPGLL,4916.45,N,12311.12,W,225444,V,N") == nil)
    #expect(location("GPGLL,4916.45,N,12311.12,W,225444,A,N") == nil)
    #expect(location("GPGLL,4916.45,N,12311.12,W,225444,A") != nil)
  }

  @Test func gns() throws {
    let fix = try #require(
      location("GNGNS,123519.00,3333.4268304,N,11153.3538273,W,DAA,19,0.6,406.110,-26.294,6.0,0138,S"))
    #expect(abs(fix.coordinate.latitude - 33.55711384) < 1e-11)
    #expect(fix.altitude == 406.110)
    #expect(abs(try #require(fix.ellipsoidalAltitude) - 379.816) < 1e-9)
    #expect(fix.mode == .threeDimensional)
    #expect(location("GNGNS,123519.00,3333.4268304,N,11153.3538273,W,NNN,19,0.6,406.110,-26.294,,,S") == nil)
    #expect(location("GNGNS,123519.00,3333.4268304,N,11153.3538273,W,AAN,19,0.6,406.110,-26.294,,,U") == nil)
    // u-blox sends V, for it does not provide that status.
    #expect(location("GNGNS,123519.00,3333.4268304,N,11153.3538273,W,AAN,19,0.6,406.110,-26.294,,,V") != nil)
  }

  /// Each letter is of one constellation; GPS is the first.
  @Test(arguments: [
    ("NDD", true), ("NAA", true), ("NNNA", true), ("NX", true), ("AN", true), ("NNN", false), ("N", false), ("", false),
  ])
  func gnsHasAFixWhenOneConstellationHas(_ letters: String, _ hasFix: Bool) {
    let body = "GNGNS,123519.00,3333.4268304,N,11153.3538273,W,\(letters),19,0.6,406.110,-26.294,,,"
    #expect((location(body) != nil) == hasFix)
  }

  @Test(arguments: [("ADN", 4.75), ("NAD", 4.75), ("NAA", 19), ("DR", 19), ("AP", 4.75)])
  func theBestLetterOfGNSDecides(_ letters: String, _ metres: Double) throws {
    let fix = try #require(location("GNGNS,123519.00,3333.43,N,11153.35,W,\(letters),19,1.0,406.1,-26.3,,,"))
    #expect(fix.horizontalAccuracy == metres)
  }

  @Test func vtg() throws {
    let gga = "GPGGA,123519,4807.038,N,01131.324,E,1,08,0.9,545.4,M,46.9,M,,"
    let fix = try #require(location(gga, "GPVTG,054.7,T,034.4,M,005.5,N,010.2,K,A"))
    #expect(fix.course == 54.7)
    let speed: Double = 5.5 * 1852 / 3600
    #expect(abs(try #require(fix.speed) - speed) < 1e-12)
    #expect(location(gga, "GPVTG,054.7,T,034.4,M,005.5,N,010.2,K,N")?.course == nil)
    // A receiver that hardly moves knows no course.
    let slow = try #require(location(gga, "GPVTG,,T,,M,005.5,N,010.2,K,A"))
    #expect(slow.speed == fix.speed && slow.course == nil)
    #expect(location(gga, "GPVTG,054.7,T,034.4,M,005.5,N,010.2,K,E")?.course == 54.7)
  }

  @Test func ashtech() throws {
    let fix = try #require(
      location("PASHR,POS,0,08,123519.00,4807.0380,N,01131.3240,E,00592.30,,084.4,036.0,+001.5,1.9,1.1,1.5,1.2,UE00"))
    #expect((fix.ellipsoidalAltitude, fix.altitude, fix.mode) == (592.3, nil, .threeDimensional))
    #expect((fix.course, fix.speed, fix.climb) == (84.4, 10, 1.5))
  }

  @Test func ublox() throws {
    let fix = try #require(
      location(
        "PUBX,00,123519.00,4717.113210,N,00833.915187,E,546.589,G3,2.1,2.0,0.036,77.52,-0.007,,0.92,1.19,0.77,9,0,0"))
    #expect((fix.ellipsoidalAltitude, fix.horizontalAccuracy, fix.verticalAccuracy) == (546.589, 2.1, 2.0))
    #expect(abs(try #require(fix.speed) - 0.01) < 1e-12)
    #expect((fix.course, fix.climb) == (77.52, 0.007))
    let dated = decode(
      lines(
        "PUBX,04,073731.00,091202,113851.00,1196,15D,1930035,-2660.664,43",
        "PUBX,00,073731.00,4717.113210,N,00833.915187,E,546.589,G3,2.1,2.0,0.007,77.52,0.007,,0.92,1.19,0.77,9,0,0"))
    #expect(iso(dated.locations.first?.timestamp) == "2002-12-09T07:37:31.000Z")
  }

  @Test func garminFix() throws {
    let fix = try #require(
      location("PGRMF,290,293895,160305,093802,13,5213.1439,N,02100.6511,E,A,2,36,226,2,1", dated: false))
    #expect(iso(fix.timestamp) == "2005-03-16T09:38:02.000Z")
    #expect((fix.speed, fix.course) == (10, 226))
  }

  @Test func garminAltitudeAndMagellanStatus() {
    let rmc = "GPRMC,123519,A,4807.038,N,01131.324,E,,,230324,,"
    #expect(abs((location(rmc, "PGRMZ,246,f,3")?.altitude ?? 0) - 74.9808) < 1e-9)
    #expect(location(rmc, "PMGNST,01.75,3,T,816,11.1,-00496,00")?.mode == .threeDimensional)
    #expect(location(rmc, "PMGNST,01.75,3,F,816,11.1,-00496,00") == nil)
  }

  @Test func skytraq() throws {
    let fix = try #require(
      location(
        "PSTI,030,033010.000,A,2447.0895508,N,12100.5234656,E,94.615,3.00,4.00,0.57,111219,R,0.999,3.724",
        dated: false))
    #expect((fix.altitude, fix.speed, fix.climb) == (94.615, 5, 0.57))
    #expect(abs(try #require(fix.course) - 36.86989764584402) < 1e-9)
    #expect(iso(fix.timestamp) == "2019-12-11T03:30:10.000Z")
  }

  @Test(arguments: [(1, false), (8, true)]) func aReceiverThatSimulatesSaysSo(quality: Int, isSimulated: Bool) {
    var found: [Location] = []
    var decoder = NMEADecoder(sourceInformation: LocationSourceInformation(device: "a", isSimulatedBySoftware: false))
    let gga = line("GPGGA,123519,4807.038,N,01131.324,E,\(quality),08,0.9,545.4,M,46.9,M,,")
    decoder.decode(Array(gga.utf8)) { if case .location(let location) = $0 { found.append(location) } }
    decoder.finish { if case .location(let location) = $0 { found.append(location) } }
    #expect(found.map { $0.sourceInformation?.isSimulatedBySoftware } == [isSimulated])
  }
}
