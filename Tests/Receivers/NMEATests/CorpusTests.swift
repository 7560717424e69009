import Foundation
import LocationKit
import NMEA
import Testing

/// Recordings of real receivers against what gpsd made of them, where that collection lies beside the checkout.
@Suite struct CorpusTests {
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  private static let corpus = root.deletingLastPathComponent().appendingPathComponent("shared/corpus/nmea")
  private static var isThere: Bool { FileManager.default.fileExists(atPath: corpus.path) }

  /// A report of gpsd's with a time and a position.
  private struct Report: Decodable {
    var `class`: String
    var mode: Int?
    var time: String?
    var lat: Double?
    var lon: Double?
    var altMSL: Double?
    var speed: Double?
    var track: Double?
    var geoidSep: Double?
    var status: Int?
    var dgpsAge: Double?
    var dgpsSta: Int?
    /// Of the report of the sky before it, and of the one behind it: gpsd sends that when the sentences of the sky are over.
    var skies: [Sky] = []

    private enum CodingKeys: CodingKey {
      case `class`, mode, time, lat, lon, altMSL, speed, track, geoidSep, status, dgpsAge, dgpsSta
    }
  }

  /// The dilutions of a report of the sky.
  private struct Sky: Decodable {
    var hdop: Double?
    var vdop: Double?
    var pdop: Double?
  }

  private struct Score {
    var epochs = 0
    var seen = 0
    var position = 0
    var altitude = 0
    var speed = 0
    var course = 0
    var knownGeoids = 0
    var geoid = 0
    var status = 0
    var knownDilutions = 0
    var dilution = 0
    var knownCorrections = 0
    var correction = 0

    static func += (a: inout Score, b: Score) {
      a.epochs += b.epochs
      a.seen += b.seen
      a.position += b.position
      a.altitude += b.altitude
      a.speed += b.speed
      a.course += b.course
      a.knownGeoids += b.knownGeoids
      a.geoid += b.geoid
      a.status += b.status
      a.knownDilutions += b.knownDilutions
      a.dilution += b.dilution
      a.knownCorrections += b.knownCorrections
      a.correction += b.correction
    }
  }

  /// Milliseconds modulo gpsd's shift of 1024 weeks.
  private static func key(_ seconds: Double) -> Int {
    Int((seconds * 1000).rounded()) % (1024 * 7 * 86_400_000)
  }

  private static func reports(_ url: URL) throws -> [Int: [Report]] {
    let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    var reports: [Int: [Report]] = [:]
    var last: Int?
    var sky: Sky?
    // Where those stand that wait for the next report of the sky.
    var waiting: [(key: Int, index: Int)] = []
    for line in try Data(contentsOf: url).split(separator: 0x0A) {
      if line.starts(with: Array(#"{"class":"SKY""#.utf8)) {
        guard let next = try? JSONDecoder().decode(Sky.self, from: line), next.hdop != nil else { continue }
        for (key, index) in waiting { reports[key]?[index].skies.append(next) }
        (sky, waiting) = (next, [])
        continue
      }
      guard line.starts(with: Array(#"{"class":"TPV""#.utf8)),
        var report = try? JSONDecoder().decode(Report.self, from: line), (report.mode ?? 0) >= 2,
        report.lat != nil, report.lon != nil, let time = report.time, let date = try? style.parse(time)
      else { continue }
      let key = key(date.timeIntervalSince1970)
      if reports[key] == nil { last = key }
      report.skies = [sky].compactMap(\.self)
      waiting.append((key, reports[key, default: []].count))
      reports[key, default: []].append(report)
    }
    // gpsd usually never closes the last one.
    if let last { reports[last] = nil }
    return reports
  }

  private static func near(_ theirs: Double?, _ ours: Double?, _ tolerance: Double, isAngle: Bool = false) -> Bool {
    guard let theirs else { return true }
    guard let ours else { return false }
    let difference = abs(theirs - ours)
    return min(difference, isAngle ? abs(360 - difference) : difference) <= tolerance
  }

  /// `answers` is the ending of gpsd's answers, where there are any.
  private static func score(_ log: URL, _ answers: String) throws -> Score {
    let wanted = log.appendingPathExtension(answers)
    let answer = FileManager.default.fileExists(atPath: wanted.path) ? wanted : log.appendingPathExtension("chk")
    var ours: [Int: Location] = [:]
    for fix in decode(Array(try Data(contentsOf: log))).locations {
      if let time = fix.timestamp { ours[key(time.timeIntervalSince1970)] = fix }
    }
    var score = Score()
    for (key, theirs) in try reports(answer) {
      score.epochs += 1
      guard let fix = ours[key] else { continue }
      score.seen += 1
      let isNear = theirs.contains {
        near($0.lat, fix.coordinate.latitude, 2e-8) && near($0.lon, fix.coordinate.longitude, 2e-8, isAngle: true)
      }
      score.position += isNear ? 1 : 0
      score.altitude += theirs.contains { near($0.altMSL, fix.altitude, 0.002) } ? 1 : 0
      score.speed += theirs.contains { near($0.speed, fix.speed, 0.003) } ? 1 : 0
      // Where the receiver has no separation gpsd takes one from a model of its own.
      if let ours = fix.quality?.geoidSeparation {
        score.knownGeoids += 1
        score.geoid += theirs.contains { near($0.geoidSep, ours, 0.002) } ? 1 : 0
      }
      let status = fix.quality?.status
      score.status += theirs.contains { $0.status.flatMap(GNSSQuality.Status.init(gpsd:)) == status } ? 1 : 0
      let quality = fix.quality
      if quality?.hdop != nil, case let skies = theirs.flatMap(\.skies), !skies.isEmpty {
        score.knownDilutions += 1
        let agrees = skies.contains {
          near($0.hdop, quality?.hdop, 0.011) && near($0.vdop, quality?.vdop ?? $0.vdop, 0.011)
            && near($0.pdop, quality?.pdop ?? $0.pdop, 0.011)
        }
        score.dilution += agrees ? 1 : 0
      }
      let age = theirs.lazy.compactMap(\.dgpsAge).first
      if age != nil || quality?.dgpsAge != nil {
        score.knownCorrections += 1
        let station = theirs.lazy.compactMap(\.dgpsSta).first
        let agrees = age != nil && near(age, quality?.dgpsAge, 0.11) && station == quality?.dgpsStation
        score.correction += agrees ? 1 : 0
      }
      score.course += theirs.contains { near($0.track, fix.course, 0.002, isAngle: true) } ? 1 : 0
    }
    return score
  }

  private static let drive = root.appendingPathComponent("Recordings/drive.nmea")

  /// The shipped recording has not one bad line; its time goes up by a second or, where it has no fix, by more.
  @Test(.enabled(if: FileManager.default.fileExists(atPath: drive.path), "no recording in the checkout"))
  func shippedRecordingIsFlawless() throws {
    let decoded = decode(Array(try Data(contentsOf: Self.drive)), strict: true)
    #expect(decoded.problems.isEmpty)
    #expect(decoded.statistics.problems == 0)
    #expect(decoded.statistics.unsupported == 0)
    #expect(decoded.locations.count > 600)
    let times = decoded.locations.compactMap { $0.timestamp?.timeIntervalSince1970 }
    #expect(times.count == decoded.locations.count)
    #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 >= 1 })
    #expect(times.last.map { Int($0 - times[0]) + 1 } ?? 0 >= decoded.locations.count + decoded.noFixCount)
  }

  /// gpsd 3.22 of Debian 12, and its newest version.
  @Test(
    .enabled(if: isThere, "no recordings beside the checkout"), .timeLimit(.minutes(30)),
    arguments: ["chk-3.22", "chk"])
  func agreesWithGpsd(answers: String) throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: Self.corpus.path).filter { $0.hasSuffix(".log") }
    var total = Score()
    for name in names.sorted() {
      let score = try Self.score(Self.corpus.appendingPathComponent(name), answers)
      #expect(score.epochs - score.seen <= max(1, score.epochs / 10), "\(name)")
      // Its sentences disagree with each other.
      if name != "bundg_zeus_9.log" { total += score }
    }
    func share(_ part: Int) -> Double { Double(part) / Double(max(1, total.epochs)) }
    #expect(total.epochs > 500)
    #expect(share(total.seen) >= 0.99)
    #expect(share(total.position) >= 0.99)
    #expect(share(total.altitude) >= 0.99)
    #expect(share(total.speed) >= 0.99)
    #expect(share(total.course) >= 0.99)
    #expect(share(total.knownGeoids) >= 0.5)
    #expect(Double(total.geoid) >= 0.97 * Double(total.knownGeoids), "\(total)")
    #expect(share(total.status) >= 0.97)
    // 758 of 841 agree. gpsd reports the sky when the list of satellites is whole, in some recordings every fifth epoch, with
    // the dilutions of that moment; it takes GGA's dilution where GSA, which has all three, says another one; and where a
    // GSA comes after the sentence that ends its epoch, the last one's is beside the new GGA's.
    #expect(total.knownDilutions >= 800)
    #expect(Double(total.dilution) >= 0.9 * Double(total.knownDilutions), "\(total)")
    #expect(total.knownCorrections >= 130 && total.correction == total.knownCorrections, "\(total)")
  }
}
