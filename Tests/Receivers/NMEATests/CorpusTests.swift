import Foundation
import LocationKit
import NMEA
import TestSupport
import Testing

/// Recordings of real receivers against what gpsd made of them, where that collection lies beside the checkout.
@Suite(.inTurn) struct CorpusTests {
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

  /// What is counted: epochs, those that both have, and those of which a value agrees, or can be compared.
  private enum Part {
    case epochs, seen, position, altitude, speed, course, knownGeoids, geoid, status, knownDilutions, dilution
    case knownCorrections, correction
  }

  private struct Score {
    var counts: [Part: Int] = [:]

    mutating func count(_ part: Part, if agrees: Bool = true) { counts[part, default: 0] += agrees ? 1 : 0 }

    subscript(part: Part) -> Int { counts[part, default: 0] }

    func share(_ part: Part) -> Double { Double(self[part]) / Double(max(1, self[.epochs])) }
  }

  /// Milliseconds modulo gpsd's shift of 1024 weeks.
  private static func key(_ seconds: Double) -> Int { Int((seconds * 1000).rounded()) % (1024 * 7 * 86_400_000) }

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
      score.count(.epochs)
      guard let fix = ours[key] else { continue }
      score.count(.seen)
      let isNear = theirs.contains {
        near($0.lat, fix.coordinate.latitude, 2e-8) && near($0.lon, fix.coordinate.longitude, 2e-8, isAngle: true)
      }
      score.count(.position, if: isNear)
      score.count(.altitude, if: theirs.contains { near($0.altMSL, fix.altitude, 0.002) })
      score.count(.speed, if: theirs.contains { near($0.speed, fix.speed, 0.003) })
      score.count(.course, if: theirs.contains { near($0.track, fix.course, 0.002, isAngle: true) })
      let quality = fix.quality
      score.count(.status, if: theirs.contains { $0.status.flatMap(GNSSQuality.Status.init(gpsd:)) == quality?.status })
      // Where the receiver has no separation gpsd takes one from a model of its own.
      if let ours = quality?.geoidSeparation {
        score.count(.knownGeoids)
        score.count(.geoid, if: theirs.contains { near($0.geoidSep, ours, 0.002) })
      }
      if quality?.hdop != nil, case let skies = theirs.flatMap(\.skies), !skies.isEmpty {
        score.count(.knownDilutions)
        let agrees = skies.contains {
          near($0.hdop, quality?.hdop, 0.011) && near($0.vdop, quality?.vdop ?? $0.vdop, 0.011)
            && near($0.pdop, quality?.pdop ?? $0.pdop, 0.011)
        }
        score.count(.dilution, if: agrees)
      }
      let age = theirs.lazy.compactMap(\.dgpsAge).first
      if age != nil || quality?.dgpsAge != nil {
        score.count(.knownCorrections)
        let station = theirs.lazy.compactMap(\.dgpsSta).first
        let agrees = age != nil && near(age, quality?.dgpsAge, 0.11) && station == quality?.dgpsStation
        score.count(.correction, if: agrees)
      }
    }
    return score
  }

  /// The shipped recording has not one bad line; its time goes up by a second or, where it has no fix, by more.
  @Test func shippedRecordingIsFlawless() throws {
    let decoded = decode(Array(try Data(contentsOf: Checkout.file("Recordings/drive.nmea"))), strict: true)
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
    .enabled(if: !Checkout.recordings.isEmpty, "no recordings beside the checkout"), .timeLimit(.minutes(30)),
    arguments: ["chk-3.22", "chk"])
  func agreesWithGpsd(answers: String) throws {
    var total = Score()
    for recording in Checkout.recordings {
      let score = try Self.score(recording, answers)
      #expect(score[.epochs] - score[.seen] <= max(1, score[.epochs] / 10), "\(recording.lastPathComponent)")
      // Its sentences disagree with each other.
      if recording.lastPathComponent != "bundg_zeus_9.log" { total.counts.merge(score.counts, uniquingKeysWith: +) }
    }
    #expect(total[.epochs] > 500)
    for part in [Part.seen, .position, .altitude, .speed, .course] {
      #expect(total.share(part) >= 0.99, "\(part)")
    }
    #expect(total.share(.knownGeoids) >= 0.5)
    #expect(Double(total[.geoid]) >= 0.97 * Double(total[.knownGeoids]), "\(total)")
    #expect(total.share(.status) >= 0.97)
    // 758 of 841 agree. gpsd reports the sky when the list of satellites is whole, in some recordings every fifth epoch, with
    // the dilutions of that moment; it takes GGA's dilution where GSA, which has all three, says another one; and where a
    // GSA comes after the sentence that ends its epoch, the last one's is beside the new GGA's.
    #expect(total[.knownDilutions] >= 800)
    #expect(Double(total[.dilution]) >= 0.9 * Double(total[.knownDilutions]), "\(total)")
    #expect(total[.knownCorrections] >= 130 && total[.correction] == total[.knownCorrections], "\(total)")
  }
}
