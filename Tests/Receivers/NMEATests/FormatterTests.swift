import Foundation
import LocationKit
import NMEA
import Records
import TestSupport
import Testing

@Suite(.inTurn) struct FormatterTests {
  private func sentences(_ location: Location, satellites: [Satellite] = [], isShort: Bool = false) -> [String] {
    var formatter = NMEAFormatter(isShort: isShort)
    formatter.satellites = satellites
    return String(decoding: RecordBuffer.bytes { formatter.append(location, to: &$0) }, as: UTF8.self)
      .components(separatedBy: "\r\n").dropLast().map { String($0) }
  }

  /// The fields of the first sentence of a kind.
  private func fields(_ kind: String, _ location: Location, satellites: [Satellite] = []) -> [String] {
    let sentence = sentences(location, satellites: satellites).first { $0.dropFirst(3).hasPrefix(kind) } ?? ""
    return sentence.prefix { $0 != "*" }.split(separator: ",", omittingEmptySubsequences: false).map { String($0) }
  }

  private let fix = Location(
    coordinate: LocationCoordinate2D(latitude: -33.857222, longitude: 151.215), altitude: -4.25,
    ellipsoidalAltitude: 18, course: 90.5, speed: 10, timestamp: Date(timeIntervalSince1970: 1_719_792_000.25),
    mode: .threeDimensional, satellitesUsed: 9,
    quality: GNSSQuality(
      status: .differential, hdop: 0.9, vdop: 1.4, pdop: 1.7, geoidSeparation: 22.25, dgpsAge: 3, dgpsStation: 120))

  @Test func aFixOfAllValues() {
    #expect(
      sentences(fix)
        == [
          "$GPRMC,000000.250,A,3351.433320,S,15112.900000,E,19.438,90.50,010724,,,D*52",
          "$GPVTG,90.50,T,,M,19.438,N,36.000,K,D*3B",
          "$GPGGA,000000.250,3351.433320,S,15112.900000,E,2,09,0.90,-4.25,M,22.25,M,3.0,0120*76",
          "$GPGSA,A,3,,,,,,,,,,,,,1.70,0.90,1.40*3F", "$GPZDA,000000.250,01,07,2024,00,00*00",
        ].map(withChecksum))
  }

  /// A gpsd may say anything.
  @Test func negativeNumbersAreWrittenAsZero() {
    var fix = fix
    fix.satellitesUsed = -1
    fix.quality?.dgpsStation = -5
    let satellites = [Satellite(system: .sbas, number: 33, isUsed: true), Satellite(system: .gps, number: .min)]
    #expect(fields("GGA", fix, satellites: satellites).last == "0000")
    #expect(fields("GSV", fix, satellites: satellites)[3...] == ["02", "00", "", "", "", "00", "", "", ""])
  }

  /// The same sentence with the checksum that it should have.
  private func withChecksum(_ sentence: String) -> String {
    let body = sentence.dropFirst().prefix { $0 != "*" }
    return "$\(body)*" + String(format: "%02X", body.utf8.reduce(0, ^))
  }

  @Test func unknownValuesAreEmpty() {
    #expect(
      sentences(Location(latitude: 0.5, longitude: -0.000_000_5))
        == [
          "$GPRMC,,A,0030.000000,N,00000.000030,W,,,,,,A*00", "$GPVTG,,T,,M,,N,,K,A*00",
          "$GPGGA,,0030.000000,N,00000.000030,W,1,03,,,M,,M,,*00", "$GPGSA,A,2,,,,,,,,,,,,,,,*00",
        ].map(withChecksum))
  }

  @Test(arguments: [nil, Date(timeIntervalSince1970: 1_719_792_000.25)])
  func aLostFixHasTheTimeAndNoPosition(date: Date?) {
    let bytes = RecordBuffer.bytes { NMEAFormatter().appendLoss(at: date, to: &$0) }
    let (time, day) = date == nil ? ("", "") : ("000000.250", "010724")
    #expect(
      String(decoding: bytes, as: UTF8.self).components(separatedBy: "\r\n") == [
        "$GPRMC,\(time),V,,,,,,,\(day),,,N*00", "$GPVTG,,T,,M,,N,,K,N*00", "$GPGGA,\(time),,,,,0,,,,M,,M,,*00",
        "$GPGSA,A,1,,,,,,,,,,,,,,,*00",
      ].map(withChecksum) + (date == nil ? [] : [withChecksum("$GPZDA,\(time),01,07,2024,00,00*00")]) + [""])
    #expect(decode(bytes).locations.isEmpty)
  }

  /// The receiver's own count comes before the number of satellites that are marked as used. Readers take a fix with fewer
  /// than three for none.
  @Test(
    arguments: [
      (nil, 0, FixMode.twoDimensional, "03"), (nil, 0, .threeDimensional, "04"), (0, 0, .threeDimensional, "04"),
      (2, 0, .twoDimensional, "03"), (3, 0, .threeDimensional, "03"), (9, 5, .threeDimensional, "09"),
      (nil, 5, .threeDimensional, "05"), (nil, 2, .threeDimensional, "04"), (99, 0, .threeDimensional, "99"),
      (100, 0, .threeDimensional, "99"),
    ] as [(Int?, Int, FixMode, String)])
  func theNumberOfSatellitesIsThatOfAFix(count: Int?, marked: Int, mode: FixMode, field: String) {
    var fix = fix
    (fix.satellitesUsed, fix.mode) = (count, mode)
    let satellites = (0..<marked).map { Satellite(system: .gps, number: $0 + 1, isUsed: true) }
    #expect(fields("GGA", fix, satellites: satellites)[7] == field)
  }

  /// No reader makes a better accuracy of it: gpsd multiplies, GeoClue has steps.
  @Test(
    arguments: [
      (nil, nil, ""), (0.02, nil, "0.01"), (0.5, nil, "1.01"), (1, nil, "1.01"), (3, nil, "2.01"), (50, nil, "5.01"),
      (100, nil, "10.01"), (101, nil, "20.01"), (300, nil, "20.01"), (500, nil, "26.32"), (300, 0.9, "0.90"),
    ] as [(Double?, Double?, String)])
  func anUnknownDilutionIsMadeOfTheAccuracy(accuracy: Double?, dilution: Double?, field: String) {
    var fix = fix
    fix.horizontalAccuracy = accuracy
    fix.quality?.hdop = dilution
    fix.quality?.status = nil
    #expect(fields("GGA", fix)[8] == field && fields("GSA", fix)[16] == field)
    // With differential corrections a quarter of the factor applies.
    fix.quality?.status = .differential
    if accuracy == 500 { #expect(fields("GGA", fix)[8] == "105.26") }
  }

  /// The separation of the geoid, if it is not known.
  @Test(arguments: [(-4.25, 18, "22.25"), (-4.25, nil, ""), (100, 53, "-47.00")] as [(Double, Double?, String)])
  func theGeoidSeparationIsMadeOfTheHeights(altitude: Double, ellipsoidal: Double?, field: String) {
    var fix = fix
    fix.quality?.geoidSeparation = nil
    (fix.altitude, fix.ellipsoidalAltitude) = (altitude, ellipsoidal)
    #expect(fields("GGA", fix)[11] == field)
  }

  @Test(arguments: [(-0.004, "0.00"), (0.004, "0.00"), (-0.006, "-0.01")])
  func zeroHasNoSign(altitude: Double, field: String) {
    var fix = fix
    fix.altitude = altitude
    #expect(fields("GGA", fix)[9] == field)
  }

  /// A fix is precise when its accuracy is better than 10 cm, and not at 10 cm.
  @Test(arguments: [(0.1, 11), (0.0999, 14)])
  func preciseFixesHaveMoreDecimals(accuracy: Double, length: Int) {
    var fix = fix
    fix.horizontalAccuracy = accuracy
    #expect(fields("RMC", fix)[3].count == length)
  }

  @Test(arguments: [(0.0004, "000000.000"), (0.0006, "000000.001"), (0.9996, "000001.000"), (-0.0004, "000000.000")])
  func timesAreRounded(seconds: Double, field: String) {
    var fix = fix
    fix.timestamp = Date(timeIntervalSince1970: 1_719_792_000 + seconds)
    #expect(fields("RMC", fix)[1] == field && fields("GGA", fix)[1] == field)
  }

  /// As many as fit into a number of sentences, and one more.
  @Test(arguments: [(4, 1, 1), (5, 2, 1), (8, 2, 1), (9, 3, 1), (12, 3, 1), (13, 4, 2), (24, 6, 2), (25, 7, 3)])
  func satellitesFillSentences(count: Int, views: Int, used: Int) {
    let satellites = (1...count).map { Satellite(system: .gps, number: $0, isUsed: true) }
    let sentences = sentences(fix, satellites: satellites)
    let view = sentences.filter { $0.hasPrefix("$GPGSV") }
    #expect(view.count == views && sentences.count { $0.hasPrefix("$GPGSA") } == used)
    for (index, sentence) in view.enumerated() {
      let number = "\(count < 10 ? "0" : "")\(count)"
      #expect(sentence.hasPrefix("$GPGSV,\(views),\(index + 1),\(number),"))
    }
  }

  /// The longest sentences of a fix; receivers write such ones, too.
  @Test func shortSentencesHaveAtMost82Characters() {
    var fix = fix
    fix.altitude = 1234.567
    fix.quality?.status = .rtkFixed
    #expect(
      fields("GGA", fix)[2...13].joined(separator: ",")
        == "3351.433320000,S,15112.900000000,E,4,09,0.90,1234.567,M,22.250,M,3.0")
    let short = sentences(fix, isShort: true)
    #expect(short[2].contains(",3351.433320,S,15112.900000,E,4,09,0.90,1234.57,M,22.25,M,,*"), "\(short[2])")
    #expect(short[0].contains(",3351.433320,S,"), "\(short[0])")
    (fix.altitude, fix.speed, fix.satellitesUsed) = (-18_000.5, 340, 24)
    fix.quality?.geoidSeparation = -100.5
    fix.quality?.hdop = 99.99
    #expect(sentences(fix, isShort: true).allSatisfy { $0.utf8.count + 2 <= 82 }, "\(sentences(fix, isShort: true))")
    // A sentence that just fits keeps everything.
    fix = self.fix
    fix.altitude = 14.25
    fix.quality?.hdop = nil
    #expect(sentences(fix)[2].utf8.count + 2 == 82)
    #expect(sentences(fix, isShort: true) == sentences(fix))
  }

  @Test(arguments: zip(GNSSQuality.Status.allCases, ["2D", "4R", "5F", "6E", "1A", "7M", "8S", "3P"]))
  func theStatusIsInQualityAndMode(status: GNSSQuality.Status, letters: String) {
    var fix = fix
    fix.quality?.status = status
    let fields = sentences(fix).map {
      $0.split(separator: "*")[0].split(separator: ",", omittingEmptySubsequences: false)
    }
    #expect("\(fields[2][6])\(fields[0][12])" == letters && fields[1][9] == letters.suffix(1))
    // A fixed ambiguity is worth more decimals.
    #expect(fields[0][3].count == (status == .rtkFixed ? 14 : 11))
  }

  /// One constellation has its own talker, several have GN and a system's number.
  @Test func satellitesHaveTheirTalkers() {
    func satellite(_ system: Satellite.System, _ number: Int, isUsed: Bool = true) -> Satellite {
      Satellite(system: system, number: number, azimuth: 7, elevation: 45, signal: isUsed ? 38.6 : nil, isUsed: isUsed)
    }
    let gps = (1...13).map { satellite(.gps, $0) } + [satellite(.sbas, 123)]
    let alone = sentences(fix, satellites: [satellite(.glonass, 3)])
    #expect(alone[0].hasPrefix("$GLRMC") && alone[3].hasPrefix("$GLGSA,A,3,67,,") && !alone[3].contains(",1.40,"))
    #expect(alone[4] == withChecksum("$GLGSV,1,1,01,67,45,007,39*00"))
    let mixed = sentences(fix, satellites: gps + [satellite(.galileo, 5), satellite(.beidou, 6, isUsed: false)])
    #expect(mixed[0].hasPrefix("$GNRMC"))
    #expect(
      mixed[3...5]
        == [
          "$GNGSA,A,3,01,02,03,04,05,06,07,08,09,10,11,12,1.70,0.90,1.40,1*00",
          "$GNGSA,A,3,13,36,,,,,,,,,,,1.70,0.90,1.40,1*00", "$GNGSA,A,3,05,,,,,,,,,,,,1.70,0.90,1.40,3*00",
        ].map(withChecksum)[...])
    #expect(mixed[9] == withChecksum("$GPGSV,4,4,14,13,45,007,39,36,45,007,39*00"))
    #expect(
      mixed.suffix(2)
        == ["$GBGSV,1,1,01,06,45,007,*00", "$GNZDA,000000.250,01,07,2024,00,00*00"].map(withChecksum))
    // A GGA with corrections is longer than the standard allows.
    #expect(mixed.allSatisfy { $0.utf8.count <= ($0.contains("GGA") ? 84 : 80) })
  }

  /// The locations of a recording that have a time, and the sentences that are written of them.
  private func rewritten(_ file: URL) throws -> (sent: [Location], bytes: [UInt8]) {
    let sent = decode([UInt8](try Data(contentsOf: file))).locations.filter { $0.timestamp != nil }
    let formatter = NMEAFormatter()
    return (sent, RecordBuffer.bytes { buffer in for fix in sent { formatter.append(fix, to: &buffer) } })
  }

  /// What is written is read again, from the recording of this project and from real ones.
  @Test(arguments: Self.recordings)
  func recordingsComeThrough(file: URL) throws {
    let (sent, bytes) = try rewritten(file)
    // Some receivers of the collection have no fix with a time.
    if sent.isEmpty { return #expect(file.lastPathComponent != "drive.nmea") }
    let read = decode(bytes, strict: true)
    #expect(read.problems.isEmpty)
    #expect(read.locations.count == sent.count)
    for (a, b) in zip(sent, read.locations) where a.timestamp == b.timestamp {
      #expect(abs(a.coordinate.latitude - b.coordinate.latitude) < 1e-8)
      #expect(abs(a.coordinate.longitude - b.coordinate.longitude) < 1e-8)
      #expect(isClose(a.altitude, b.altitude, 0.006) && isClose(a.speed, b.speed, 0.001), "\(a) \(b)")
      #expect(a.mode == b.mode && a.quality?.status == b.quality?.status)
      // The decoder keeps a dilution that is not sent again.
      #expect(a.quality?.hdop == nil || isClose(a.quality?.hdop, b.quality?.hdop, 0.006))
    }
  }

  /// gpsd reads the same: `gpsdecode` is its decoder for files.
  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/gpsdecode")), arguments: Self.recordings)
  func gpsdReadsTheSame(file: URL) throws {
    let (fixes, bytes) = try rewritten(file)
    /// The fixes of each millisecond of a day: gpsd guesses the century of a date.
    let sent = Dictionary(grouping: fixes) { $0.timestamp.map(Self.milliseconds) ?? 0 }
    let folder = TemporaryFolder()
    let path = try folder.write(String(decoding: bytes, as: UTF8.self), to: "nmea")
    let (process, output) = (Process(), Pipe())
    process.executableURL = URL(fileURLWithPath: "/usr/bin/gpsdecode")
    process.arguments = ["-j"]
    process.standardInput = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
    process.standardOutput = output
    try process.run()
    let lines = (try output.fileHandleForReading.readToEnd() ?? Data()).split(separator: UInt8(ascii: "\n"))
    process.waitUntilExit()
    var times: Set<Int> = []
    for line in lines {
      guard let report = try JSONSerialization.jsonObject(with: line) as? [String: Any],
        report["class"] as? String == "TPV", let latitude = report["lat"] as? Double,
        let longitude = report["lon"] as? Double, let text = report["time"] as? String,
        let date = try? Date(text, strategy: .iso8601.year().month().day().time(includingFractionalSeconds: true))
      else { continue }
      let time = Self.milliseconds(of: date)
      let fixes = sent[time, default: []]
      let isSent = fixes.contains { fix in
        abs(fix.coordinate.latitude - latitude) < 2e-8 && abs(fix.coordinate.longitude - longitude) < 2e-8
          && (report["altMSL"] as? Double).map { isClose($0, fix.altitude, 0.006) } ?? true
          && (report["speed"] as? Double).map { isClose($0, fix.speed, 0.002) } ?? true
      }
      #expect(isSent, "\(report), not \(fixes)")
      times.insert(time)
    }
    // It may need a few fixes to know the receiver, and takes times that are close for one.
    #expect(times.count >= sent.count / 4, "\(times.count) of \(sent.count)")
  }

  private static func milliseconds(of time: Date) -> Int {
    Int((time.timeIntervalSince1970 * 1000).rounded()) % 86_400_000
  }

  private static let recordings = [Checkout.file("Recordings/drive.nmea")] + Checkout.recordings

  private func isClose(_ a: Double?, _ b: Double?, _ tolerance: Double) -> Bool {
    a == nil && b == nil || a != nil && b != nil && abs(a! - b!) <= tolerance
  }
}
