import Foundation
import LocationKit
import SystemPackage
import TestSupport
import Testing
import Tracks

/// What GeographicLib and gpxpy say of the same recordings. What is not installed is not compared with.
@Suite struct OthersTests {
  /// The shipped drive and, where they are, the recordings of real receivers that are shared between checkouts.
  static let recordings: [String] = {
    let folder = Checkout.shared.appending(path: "corpus/nmea").path
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return [Checkout.file("Recordings/drive.nmea").path]
      + names.filter { $0.hasSuffix(".log") }.sorted().map { folder + "/" + $0 }
  }()

  /// What is read of each recording.
  static let outcomes = Dictionary(
    uniqueKeysWithValues: recordings.map { ($0, ReadingTests.read(.path(FilePath($0)))) })

  private static let geodSolve = "/usr/bin/GeodSolve"
  private static let gpsbabel = "/usr/bin/gpsbabel"
  /// The python3 that has gpxpy, of those in the usual places.
  private static let python = ["/usr/bin/python3", "/usr/local/bin/python3"].first {
    (try? Command.output($0, ["-c", "import importlib.util as u, sys; sys.exit(u.find_spec('gpxpy') is None)"])) != nil
  }

  // MARK: - GeographicLib

  @Test(.enabled(if: Command.exists(geodSolve), "geographiclib-tools are not installed"), arguments: recordings)
  func distanceIsGeographicLibs(path: String) throws {
    let events = try #require(Self.outcomes[path]).events
    var pairs = ""
    var previous: Location?
    for event in events {
      guard case .fix(let fix) = event else {
        previous = nil
        continue
      }
      // Another recording, or a clock that was set.
      if let last = previous, let start = last.timestamp, let end = fix.timestamp,
        !(0...31_536_000).contains(end.timeIntervalSince(start))
      {
        previous = nil
      }
      if let last = previous {
        pairs += "\(last.coordinate.latitude) \(last.coordinate.longitude) "
        pairs += "\(fix.coordinate.latitude) \(fix.coordinate.longitude)\n"
      }
      previous = fix
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

  /// The filter loses no fix of recordings that hold none that is wrong.
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
    struct Moving: Decodable {
      var movingTime, stoppedTime, movingDistance, stoppedDistance, maxSpeed: Double
    }
    var segments: [[Point]]
    var moving: Moving
    var length: Double
  }

  private static let script = """
    import sys, json, gpxpy
    def seconds(t): return None if t is None else t.timestamp() if t.tzinfo else t.replace(
      tzinfo=__import__('datetime').timezone.utc).timestamp()
    def figures(path):
      gpx = gpxpy.parse(open(path))
      m = gpx.get_moving_data(raw=True)
      return {
        'segments': [[{'lat': p.latitude, 'lon': p.longitude, 'ele': p.elevation, 'time': seconds(p.time),
          'speed': p.speed, 'course': p.course} for p in s.points] for t in gpx.tracks for s in t.segments],
        'length': gpx.length_2d(),
        'moving': {'movingTime': m.moving_time, 'stoppedTime': m.stopped_time, 'movingDistance': m.moving_distance,
          'stoppedDistance': m.stopped_distance, 'maxSpeed': m.max_speed}}
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
  func pointsMovingTimeAndSpeedAreGPXPys(version: String) throws {
    var compared = 0
    let folder = try TemporaryFolder()
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
      expectGPXPysMovingData(segments, expected.moving, path)
      // Its lengths are on a sphere: the ellipsoid differs by 0.6 % at most.
      let length = segments.map { segment in
        zip(segment, segment.dropFirst()).map { $0.distance(from: $1) }.reduce(0, +)
      }.reduce(0, +)
      #expect(abs(length - expected.length) <= 0.006 * length + 0.01, "\(path)")
    }
    #expect(compared > 700)
  }

  /// A drive of few points, an hour apart in the middle, as people draw them and as trackers send them.
  @Test(.enabled(if: python != nil, "gpxpy is not installed")) func theLengthOfASparseTrackIsGPXPys() throws {
    let points = [0, 6, 12, 18, 78, 84, 90].enumerated().map { index, minute in
      let time = "2026-05-06T1\(minute / 60):\(minute % 60 < 10 ? "0" : "")\(minute % 60):00Z"
      return #"<trkpt lat="\#(40 + 0.07 * Double(index))" lon="-80.5"><time>\#(time)</time></trkpt>"#
    }
    let folder = try TemporaryFolder()
    let file = try folder.write(
      #"<gpx version="1.1" creator="x" xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg>"# + points.joined()
        + "</trkseg></trk></gpx>", to: "sparse.gpx")
    let expected = try #require(try Self.figures(of: [file]).first).length
    let figures = summary(ReadingTests.read(.path(FilePath(file))).events).statistics
    #expect(expected > 40_000 && abs(figures.distance - expected) < 0.006 * expected)
    #expect(figures.movingTime == 5400 && figures.segmentCount == 1)
  }

  /// gpxpy's definitions: a step is moving at more than 1 km/h, its length is that on a sphere with the difference of the
  /// altitudes, and the greatest speed is that of a step.
  private func expectGPXPysMovingData(_ segments: [[Location]], _ expected: Python.Moving, _ path: String) {
    var (moving, stopped, movingDistance, stoppedDistance, greatest) = (0.0, 0.0, 0.0, 0.0, 0.0)
    for segment in segments {
      var hasMoved = false
      for (last, fix) in zip(segment, segment.dropFirst()) {
        guard let start = last.timestamp, let end = fix.timestamp else { continue }
        let seconds = end.timeIntervalSince(start)
        var distance = fix.distance(from: last)
        if let low = last.altitude, let high = fix.altitude, low != 0, high != 0 {
          distance = (distance * distance + (high - low) * (high - low)).squareRoot()
        }
        guard seconds > 0, distance > 0 else { continue }
        if distance / seconds * 3.6 <= 1 {
          stopped += seconds
          stoppedDistance += distance
        } else {
          moving += seconds
          movingDistance += distance
          hasMoved = true
        }
        if hasMoved { greatest = max(greatest, distance / seconds) }
      }
    }
    // A step at the very threshold may fall on either side of it, for the sphere's sake.
    let slack = 0.01 * (moving + stopped) + 1.001
    #expect(abs(moving - expected.movingTime) <= slack, "\(path): \(moving) \(expected.movingTime)")
    #expect(abs(stopped - expected.stoppedTime) <= slack, "\(path): \(stopped) \(expected.stoppedTime)")
    #expect(abs(movingDistance - expected.movingDistance) <= 0.01 * movingDistance + 1, "\(path)")
    #expect(abs(greatest - expected.maxSpeed) <= 0.006 * greatest + 0.3, "\(path): \(greatest) \(expected.maxSpeed)")
  }
}
