import Foundation
import LocationKit
import SystemPackage
import TestSupport
import Testing
import Tracks

/// What GeographicLib and gpxpy say of the same recordings. What is not installed is not compared with.
@Suite(.inTurn) struct OthersTests {
  /// The shipped drive and, where they are, the recordings of real receivers that are shared between checkouts.
  static let recordings: [String] = {
    let folder = Checkout.shared.appending(path: "corpus/nmea").path
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return [Checkout.file("Recordings/drive.nmea").path]
      + names.filter { $0.hasSuffix(".log") }.sorted().map { folder + "/" + $0 }
  }()

  static let outcomes = Dictionary(
    uniqueKeysWithValues: recordings.map { ($0, ReadingTests.read(.path(FilePath($0)))) })

  private static let geodSolve = "/usr/bin/GeodSolve"
  private static let gpsbabel = "/usr/bin/gpsbabel"
  private static let python = Command.python(with: "gpxpy")

  // MARK: - GeographicLib

  @Test(.enabled(if: Command.exists(geodSolve), "geographiclib-tools are not installed"), arguments: recordings)
  func distanceIsGeographicLibs(path: String) throws {
    let events = try #require(Self.outcomes[path]).events
    var pairs = ""
    var previous: Location?
    for event in events {
      if let fix = event.fix, let last = previous {
        let seconds = fix.timestamp.flatMap { time in last.timestamp.map { time.timeIntervalSince($0) } } ?? 0
        // Anything else is another recording, or a clock that was set.
        if (0...31_536_000).contains(seconds) {
          pairs += "\(last.coordinate.latitude) \(last.coordinate.longitude) "
          pairs += "\(fix.coordinate.latitude) \(fix.coordinate.longitude)\n"
        }
      }
      previous = event.fix
    }
    let answer = try Command.output(Self.geodSolve, ["-i", "-p", "9"], input: Array(pairs.utf8))
    let lengths = String(decoding: answer, as: UTF8.self).split(separator: "\n").compactMap {
      $0.split(separator: " ").last.flatMap { Double($0) }
    }
    let expected = lengths.reduce(0, +)
    let figures = summary(events).statistics
    let distance = figures.distance + figures.stoppedDistance
    #expect(abs(distance - expected) <= 1e-6 + expected * 1e-9, "\(distance) \(expected)")
  }

  // MARK: - Figures that contradict each other

  @Test(arguments: recordings) func theAverageIsNeverAboveTheGreatestSpeed(path: String) throws {
    let figures = summary(try #require(Self.outcomes[path]).events).statistics
    #expect((figures.averageSpeed ?? 0) <= figures.greatestSpeed ?? 0)
    #expect(figures.movingTime + figures.stoppedTime + figures.gapTime <= (figures.duration ?? 0) + 1e-6)
    #expect(figures.movingDistance.map { $0 == (figures.averageSpeed ?? .nan) * figures.movingTime } ?? true)
  }

  // MARK: - Clean recordings

  @Test(arguments: recordings) func noFixOfACleanRecordingIsAJump(path: String) throws {
    let events = try #require(Self.outcomes[path]).events
    var filter = JumpFilter(maximumSpeed: 100)
    #expect(events.passed(through: &filter).count >= events.count && filter.jumpCount == 0)
  }

  // MARK: - gpxpy

  private struct Python: Decodable {
    struct Point: Decodable {
      var lat, lon: Double
      var ele, time, speed, course: Double?
    }
    var segments: [[Point]]
    var length: Double
  }

  private static let script = """
    import sys, json, gpxpy
    def seconds(t): return None if t is None else t.timestamp() if t.tzinfo else t.replace(
      tzinfo=__import__('datetime').timezone.utc).timestamp()
    def figures(path):
      gpx = gpxpy.parse(open(path))
      return {
        'segments': [[{'lat': p.latitude, 'lon': p.longitude, 'ele': p.elevation, 'time': seconds(p.time),
          'speed': p.speed, 'course': p.course} for p in s.points] for t in gpx.tracks for s in t.segments],
        'length': gpx.length_2d()}
    print(json.dumps([figures(path) for path in sys.argv[1:]]))
    """

  /// What gpxpy says of some files, all in one process.
  private static func figures(of files: [String]) throws -> [Python] {
    let python = try #require(python)
    return try JSONDecoder().decode([Python].self, from: Data(Command.output(python, ["-c", script] + files)))
  }

  /// GPX that gpsbabel makes of a recording, in one version of the format.
  private static func gpx(of path: String, version: String, in folder: TemporaryFolder) throws -> String {
    let output = folder.file(URL(filePath: path).lastPathComponent + ".gpx")
    _ = try Command.output(
      Self.gpsbabel, ["-t", "-i", "nmea", "-f", path, "-o", "gpx,gpxver=\(version)", "-F", output])
    return output
  }

  @Test(
    .enabled(if: python != nil && Command.exists(gpsbabel), "gpxpy or gpsbabel is not installed"),
    arguments: ["1.0", "1.1"])
  func pointsAndLengthsAreGPXPys(version: String) throws {
    var compared = 0
    let folder = TemporaryFolder()
    let files = Self.recordings.compactMap { try? Self.gpx(of: $0, version: version, in: folder) }
    for (path, expected) in zip(files, try Self.figures(of: files)) {
      let outcome = ReadingTests.read(.path(FilePath(path)))
      let segments = outcome.events.split(separator: .gap).map { $0.compactMap(\.fix) }
      let others = expected.segments.filter { !$0.isEmpty }
      try #require(segments.map(\.count) == others.map(\.count), "\(path)")
      for (fix, point) in zip(segments.joined(), others.joined()) {
        #expect(fix.coordinate.latitude == point.lat && fix.coordinate.longitude == point.lon)
        #expect(fix.altitude == point.ele)
        #expect(abs((fix.timestamp?.timeIntervalSince1970 ?? 0) - (point.time ?? 0)) < 1e-5)
        #expect((fix.timestamp == nil) == (point.time == nil))
        // gpxpy reads speed and course where GPX 1.0 has them.
        if version == "1.0" { #expect(fix.speed == point.speed && fix.course == point.course) }
        compared += 1
      }
      // Its lengths are on a sphere: the ellipsoid differs by 0.6 % at most.
      let length = segments.map { segment in
        zip(segment, segment.dropFirst()).map { $0.distance(from: $1) }.reduce(0, +)
      }.reduce(0, +)
      #expect(abs(length - expected.length) <= 0.006 * length + 0.01, "\(path)")
    }
    #expect(compared > 700)
  }
}
