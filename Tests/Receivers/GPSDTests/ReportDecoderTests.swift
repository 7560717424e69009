import CGPS
import Foundation
import LocationKit
import Testing

@testable import GPSD

extension GPSDTests {
  struct ReportDecoderTests {
    private let decoder = ReportDecoder(readsPulses: true)!

    private func decode(_ line: String, for interests: LocationSourceInterests = .all) -> GPSDReport {
      Array(line.utf8).withUnsafeBytes { decoder.decode($0, for: interests) }
    }

    private func report(_ members: String) -> (draft: LocationDraft, source: LocationSourceInformation)? {
      let line = "{\"class\":\"TPV\"\(members.isEmpty ? "" : ",")\(members)}"
      return if case .fix(let draft, let source) = decode(line) { (draft, source) } else { nil }
    }

    private func fix(_ members: String) -> LocationDraft? { report(members)?.draft }

    private static func draft(_ mode: LocationDraft.Mode) -> LocationDraft {
      var draft = LocationDraft()
      draft.mode = mode
      return draft
    }

    @Test func readsEveryFieldOfAFix() throws {
      let read = try #require(
        report(
          """
          "device":"/dev/ttyUSB0","status":8,"mode":3,"time":"2024-02-24T07:36:03.125Z","ept":0.005,"lat":37.785834000,\
          "lon":-122.406417000,"altHAE":-22.4000,"altMSL":10.1000,"alt":10.1000,"epx":3.0,"epy":4.0,"epv":9.0,\
          "track":10.3000,"magtrack":9.1,"magvar":-0.2,"speed":1.200,"climb":-0.5,"eps":0.40,"epd":4.1,"epc":59.80,\
          "geoidSep":47.000,"eph":5.000,"sep":30.400,"dgpsAge":13.2,"dgpsSta":133
          """))
      var expected = Self.draft(.threeDimensional)
      expected.time = Date(timeIntervalSince1970: 1_708_760_163.125)
      (expected.latitude, expected.longitude) = (37.785834, -122.406417)
      (expected.altitudeMSL, expected.altitudeHAE) = (10.1, -22.4)
      (expected.eph, expected.epx, expected.epy, expected.epv) = (5, 3, 4, 9)
      (expected.track, expected.epd) = (10.3, 4.1)
      (expected.speed, expected.eps, expected.climb) = (1.2, 0.4, -0.5)
      (expected.status, expected.geoidSeparation) = (.simulated, 47)
      (expected.dgpsAge, expected.dgpsStation) = (13.2, 133)
      #expect(read.draft == expected)
      #expect(read.source == LocationSourceInformation(device: "/dev/ttyUSB0", isSimulatedBySoftware: true))
    }

    @Test func whatIsAbsentIsUnknown() {
      #expect(fix("") == LocationDraft())
      #expect(fix(#""mode":1"#) == Self.draft(.noFix))
      // Nothing of the report before is left over.
      _ = fix(#""device":"/dev/a","mode":3,"lat":1.0,"lon":2.0,"time":"2024-02-24T07:36:03.000Z""#)
      #expect(fix(#""mode":2"#) == Self.draft(.twoDimensional))
    }

    /// Up to 3.19 gpsd had no other altitude. Later ones send it beside the others.
    @Test(
      arguments: [
        (#""alt":35.5"#, 35.5, nil), (#""alt":35.5,"altMSL":36.0"#, 36, nil), (#""altHAE":82.0,"alt":35.5"#, nil, 82.0),
      ] as [(String, Double?, Double?)])
    func theOldAltitudeCountsAlone(members: String, msl: Double?, hae: Double?) {
      let draft = fix("\"mode\":3,\"lat\":1.0,\"lon\":2.0,\(members)")
      #expect(draft?.altitudeMSL == msl && draft?.altitudeHAE == hae)
    }

    /// Receivers without a position send it. Next to it a position is one.
    @Test func exactlyZeroIsNoPosition() {
      #expect(fix(#""mode":3,"lat":0.0,"lon":0.0"#) == Self.draft(.noFix))
      let near = fix(#""mode":3,"lat":0.0,"lon":0.000000001"#)
      #expect(near?.latitude == 0 && near?.mode == .threeDimensional)
    }

    @Test(arguments: [
      #""lat":91.0,"lon":0.0"#, #""lat":0.0,"lon":180.5"#, #""lat":1e999,"lon":0.0"#, #""lat":1.0"#, #""speed":-1.0"#,
      #""speed":1e999"#, #""track":360.1"#, #""track":-0.1"#, #""eph":-5.0"#, #""climb":-1e999"#, #""time":"garbage""#,
      #""time":"""#, #""altMSL":null"#, #""mode":7"#, #""mode":-3"#,
    ])
    func whatCannotBeIsUnknown(members: String) {
      #expect(fix(members) == LocationDraft())
    }

    @Test func northIsZero() {
      #expect(fix(#""track":360.0"#)?.track == 0)
    }

    private static func sky(
      device: String? = nil, _ list: [Satellite], _ dilution: DilutionOfPrecision = DilutionOfPrecision()
    ) -> GPSDReport {
      .sky(device: device, list, seen: list.count, used: list.count(where: \.isUsed), dilution)
    }

    private static func counts(_ seen: Int?, _ used: Int?) -> GPSDReport {
      .sky(device: nil, nil, seen: seen, used: used, DilutionOfPrecision(horizontal: 0.9))
    }

    private static let reports: [(String, GPSDReport)] = [
      (#"{"class":"VERSION","release":"3.25","proto_major":3}"#, .version(release: "3.25")),
      (#"{"class":"WATCH","enable":true,"json":true}"#, .watch),
      (#"{"class":"ERROR","message":"Can't"}"#, .error("Can't")),
      (
        """
        {"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/a","activated":"2026-11-21T10:07:26.300Z"},\
        {"class":"DEVICE","path":"/dev/b"}]}
        """, .devices(["/dev/a", "/dev/b"])
      ),
      (#"{"class":"DEVICES","devices":[]}"#, .devices([])),
      (
        #"{"class":"DEVICE","path":"/dev/a","activated":"2026-11-21T10:07:26.604Z"}"#,
        .device(path: "/dev/a", isActive: true)
      ),
      (#"{"class":"DEVICE","path":"/dev/a","activated":0}"#, .device(path: "/dev/a", isActive: false)),
      (
        """
        {"class":"SKY","device":"/dev/a","hdop":0.9,"vdop":1.25,"pdop":1.5,"tdop":0.75,"gdop":1.75,\
        "satellites":[{"PRN":1,"el":40.0,"az":83.0,"used":true},\
        {"PRN":72,"used":false},{"PRN":3,"gnssid":2,"svid":3,"sigid":1,"ss":38.0,"used":false},\
        {"PRN":303,"gnssid":2,"svid":3,"sigid":5,"ss":41.0,"used":true}]}
        """,
        sky(
          device: "/dev/a",
          [
            Satellite(system: .gps, number: 1, azimuth: 83, elevation: 40, isUsed: true),
            Satellite(system: .glonass, number: 8),
            Satellite(system: .galileo, number: 3, signal: 41, isUsed: true),
          ], DilutionOfPrecision(horizontal: 0.9, vertical: 1.25, position: 1.5, time: 0.75, geometric: 1.75))
      ),
      // The stronger of two signals, whichever comes first.
      (
        """
        {"class":"SKY","satellites":[{"PRN":303,"gnssid":2,"svid":3,"sigid":5,"ss":41.0,"used":true},\
        {"PRN":3,"gnssid":2,"svid":3,"sigid":1,"ss":38.0,"used":false}]}
        """, sky([Satellite(system: .galileo, number: 3, signal: 41, isUsed: true)])
      ),
      // One of the two counts, which newer libraries read, does not count twice.
      (
        #"{"class":"SKY","uSat":1,"satellites":[{"PRN":1,"used":true},{"PRN":2,"used":false}]}"#,
        sky(satellites(seen: 2, used: 1))
      ),
      (#"{"class":"SKY","satellites":[]}"#, sky([])),
      // Newer daemons send dilutions of precision without satellites: no satellites are not zero satellites.
      (#"{"class":"SKY","hdop":0.9}"#, counts(nil, nil)),
      // Counts need no list.
      (#"{"class":"SKY","nSat":12,"uSat":8,"hdop":0.9}"#, counts(12, 8)),
      (#"{"class":"SKY","uSat":0,"hdop":0.9}"#, counts(nil, 0)),
      (#"{"class":"SKY","nSat":-1,"uSat":1e9,"hdop":0.9}"#, counts(nil, nil)),
      // libgps 3.27 stops at a text in the place of a number, and knows what comes before.
      (#"{"class":"SKY","hdop":0.9,"nSat":"x","uSat":null}"#, counts(nil, nil)),
      // 99 and more is how receivers say that they do not know.
      (
        #"{"class":"SKY","hdop":99.99,"pdop":-1}"#,
        .sky(device: nil, nil, seen: nil, used: nil, DilutionOfPrecision())
      ),
      (#"{"class":"ATT","device":"/dev/a","heading":12.500}"#, .heading(device: "/dev/a", Heading(trueHeading: 12.5))),
      (
        #"{"class":"ATT","time":"2024-02-24T07:36:03.000Z","heading":5.0,"mheading":7.25}"#,
        .heading(
          device: nil,
          Heading(magneticHeading: 7.25, trueHeading: 5, timestamp: Date(timeIntervalSince1970: 1_708_760_163)))
      ),
      (#"{"class":"ATT","heading":5.0,"mheading":null}"#, .heading(device: nil, Heading(trueHeading: 5))),
      (#"{"class":"ATT","pitch":1.0,"roll":2.0,"yaw":90.0}"#, .other), (#"{"class":"ATT","heading":400.0}"#, .other),
      // With members that this libgps may not know, as newer daemons send.
      (
        """
        {"class":"PPS","device":"/dev/a","real_sec":1750000000,"real_nsec":0,"clock_sec":1750000000,\
        "clock_nsec":250000000,"precision":-20,"shm":"NTP2","qErr":-1500}
        """, .pulse(device: "/dev/a", offset: 0.25, precision: -20)
      ),
      (
        #"{"class":"PPS","real_sec":1750000001,"real_nsec":0,"clock_sec":1750000000,"clock_nsec":500000000}"#,
        .pulse(device: nil, offset: -0.5, precision: nil)
      ),
      // A receiver that does not know the time yet, and what is no part of a second.
      (#"{"class":"PPS","real_sec":0,"real_nsec":0,"clock_sec":1750000000,"clock_nsec":0}"#, .other),
      (#"{"class":"PPS","real_sec":1750000000,"real_nsec":0,"clock_sec":1750000000,"clock_nsec":1000000000}"#, .other),
      (#"{"class":"PPS","real_sec":1750000000,"real_nsec":-1,"clock_sec":1750000000,"clock_nsec":0}"#, .other),
      (#"{"class":"PPS","device":"/dev/a","real_sec":1}"#, .other),
      // When the sentence of a second came is no pulse.
      (#"{"class":"TOFF","real_sec":1750000000,"real_nsec":0,"clock_sec":1750000000,"clock_nsec":1}"#, .other),
      (#"{"class":"FROM_THE_FUTURE","x":[{"y":{}}]}"#, .other),
      // Space between tokens.
      (#"{"class": "VERSION", "release": "3.25"}"#, .version(release: "3.25")),
      (#"{"class": "DEVICES", "devices": [{"class": "DEVICE", "path": "/dev/a"}]}"#, .devices(["/dev/a"])),
      (#"{"class": "SKY", "satellites": [{"PRN": 1, "used": true}]}"#, sky(satellites(seen: 1, used: 1))),
      (#"{"class": "TPV", "lat": 1.0, "class": "TPV"}"#, .malformed),
    ]

    @Test(arguments: reports) func readsTheOtherClasses(line: String, report: GPSDReport) {
      #expect(decode(line) == report)
    }

    @Test func aFixMayHaveSpaceBetweenTokens() {
      let spaced = decode(
        """
        { "class" : "TPV", "device": "/dev/a \\" b\\\\", "mode":\t3,  "lat": 1.5 , "lon": -2.5 }
        """)
      var expected = Self.draft(.threeDimensional)
      (expected.latitude, expected.longitude) = (1.5, -2.5)
      #expect(spaced == .fix(expected, LocationSourceInformation(device: "/dev/a \" b\\")))
    }

    @Test(arguments: [
      #"{"class":"SKY","device":"/dev/a","hdop":0.9,"satellites":[{"PRN":1,"el":40.0,"az":83.0,"used":true}]}"#,
      #"{"class":"SKY","satellites":[{"PRN":3,"gnssid":2,"svid":3,"sigid":1,"ss":38.0,"used":false},{"PRN":72}]}"#,
      #"{"class":"SKY","satellites":[{"PRN":3,"gnssid":2,"svid":3,"used":true},{"PRN":303,"gnssid":2,"svid":3}]}"#,
      #"{"class":"SKY","satellites":[{"used":true,"PRN":0},{"PRN":7}],"device":"/dev/b","uSat":9}"#,
      #"{"class":"SKY","device":"/dev/\"a\\","satellites":[{"PRN":1,"used":true}]}"#,
      #"{"class": "SKY", "satellites": [ { "PRN": 1, "used": true } , { "PRN": 900 } ] }"#,
      #"{"class":"SKY","vdop":2.5,"pdop":1e300,"hdop":-1.5,"satellites":[{"PRN":1}]}"#,
      #"{"class":"SKY","satellites":[]}"#, #"{"class":"SKY","hdop":0.9}"#, #"{"class":"SKY"}"#,
      #"{"class":"SKY","satellites":[],"x":{"satellites":[{"PRN":4}]}}"#, #"{"class":"SKY","satellites":[1]}"#,
    ])
    func ofUnwantedSatellitesTheCountsAreRead(line: String) {
      var expected = decode(line)
      if case .sky(let device, _, let seen, let used, let dilution) = expected {
        expected = .sky(device: device, nil, seen: seen, used: used, dilution)
      }
      #expect(decode(line, for: .locations) == expected)
    }

    @Test func unwantedHeadingsAreNotRead() {
      let line = #"{"class":"ATT","device":"/dev/a","heading":12.5}"#
      #expect(decode(line, for: .locations) == .unwanted)
      #expect(decode(line) == .heading(device: "/dev/a", Heading(trueHeading: 12.5)), "as soon as it is wanted")
    }

    /// What follows the release is nothing that libgps knows, so only the check of the syntax reads it.
    @Test(arguments: [
      (#""\u12aF\t\/\b é""#, true), (#""\u12a""#, false), (#""\u12ag""#, false), (#""\x""#, false),
      ("\"\u{1f}\"", false),
      ("[1e5, 1E5, 1e+5, 1E-5, -0.5]", true), ("1x", false), ("[1 2]", false), ("[[[[[[[1]]]]]]]", true),
      (String(repeating: "[", count: 40) + String(repeating: "]", count: 40), false),
    ])
    func knowsJSON(value: String, isValid: Bool) {
      let line = "{\"class\":\"VERSION\",\"release\":\"3.25\",\"x\":\(value)}"
      #expect(decode(line) == (isValid ? .version(release: "3.25") : .malformed))
    }

    /// Members of gpsd since 3.25, which older libraries do not know.
    @Test(
      arguments: [
        (#""jam":0"#, false), (#""jam":127"#, false), (#""jam":128"#, true), (#""jam":255,"ant":1"#, true),
        (#""ant":1"#, false), (#""ant":2"#, true), (#""ant":3,"jam":12"#, true), (#""ant":0"#, nil), (#""ant":4"#, nil),
        (#""jam":-1"#, nil), (#""jam":"x","ant":null"#, nil), (#""speed":1"#, nil),
      ] as [(String, Bool?)])
    func readsJammingAndTheAntenna(members: String, hasFault: Bool?) throws {
      let draft = try #require(fix("\"mode\":3,\"lat\":1.0,\"lon\":2.0,\(members)"))
      #expect(draft.hasFault == hasFault)
    }

    @Test func leapSecondsAreThoseSaidLast() {
      #expect(decoder.leapSeconds == nil)
      _ = fix(#""mode":1,"leapseconds":18"#)
      #expect(decoder.leapSeconds == 18)
      _ = fix(#""mode":1"#)
      #expect(decoder.leapSeconds == 18, "not every report has them")
    }

    // libgps' gps_unpack never returns from some of these, which is why they do not reach it.
    @Test(
      .timeLimit(.minutes(30)),
      arguments: [
        "", "{", "}", "{}", "[]", "null", #""class""#, #"{"class":"TPV""#, #"{"class":"TPV"}}"#, #"{"class":"TPV"}x"#,
        #"{"class":"TPV","lat":1.0,###}"#, #"{"class":"TPV","lat":}"#, #"{"class":"TPV","lat":1.0,}"#,
        #"{"class":"TPV","lat":#,"class":"TPV"}"#, #"{"class":"TPV","class":"TPV"}"#,
        #"{"class":"TPV","mode":3,"x":{"class":"DEVICE","path":"/dev/a"}}"#, #"{"class":"TPV"}{"class":"TPV"}"#,
        #"{"lat":1.0,"class":"TPV"}"#, #"{"class":3}"#, #"{"class":""#, #"{"class":"TPV","device":"\ud8"}"#,
        "{\"class\":\"TPV\",\"device\":\"\u{0}\"}", "{\"class\":\"TPV\u{0}\"}", #"{"class":"DEVICE","activated":0}"#,
        "$GPRMC,,V,,,,,,,,,,N*53", "HTTP/1.0 400 Bad Request", String(repeating: "[", count: 60_000),
        #"{"class":"TPV","x":"# + String(repeating: #"{"a":"#, count: 9999),
      ])
    func refusesWhatIsNotAReport(line: String) {
      #expect(decode(line) == .malformed)
    }

    @Test(.timeLimit(.minutes(30))) func survivesWhatLibgpsCannotRead() {
      // Valid JSON that libgps stops at: what it read by then counts.
      #expect(fix(#""mode":3,"lat":1.0,"lon":2.0,"new":{"a":1},"speed":5.0"#)?.longitude == 2)
      func list(_ element: String, _ count: Int) -> String {
        Array(repeating: element, count: count).joined(separator: ",")
      }
      let device = #"{"class":"DEVICE","path":"/dev/a","activated":0}"#
      _ = decode("{\"class\":\"DEVICES\",\"devices\":[\(list(device, 9))]}")
      _ = decode("{\"class\":\"SKY\",\"satellites\":[\(list(#"{"PRN":1,"used":true}"#, 1000))]}")
      _ = fix("\"device\":\"\(String(repeating: "d", count: 60_000))\",\"mode\":3")
      #expect(fix(#""mode":3,"lat":1.0,"lon":2.0"#)?.latitude == 1)
    }
  }
}
