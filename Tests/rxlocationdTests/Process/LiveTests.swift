import Serving
import Foundation
import Testing
import TestSupport

/// `rxlocationd` following Debian's gpsd, which is fed over TCP.
@Suite(.startsPrograms, .enabled(if: RealGPSD.path != nil, "there is no gpsd on this host"))
struct LiveTests {
  private func locations(_ output: String) -> [[String: Any]] {
    output.split(separator: "\n").compactMap { line in
      guard let record = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] else { return nil }
      return record["type"] as? String == "location" ? record : nil
    }
  }

  /// The members of a location record and of the TPV report that they come from.
  private static let members = [
    "time": "time", "latitude": "lat", "longitude": "lon", "altitude": "altMSL", "ellipsoidalAltitude": "altHAE",
    "horizontalAccuracy": "eph", "verticalAccuracy": "epv", "course": "track", "courseAccuracy": "epd",
    "speed": "speed", "speedAccuracy": "eps", "mode": "mode", "source": "device",
  ]

  @Test(.timeLimit(.minutes(30))) func printsWhatGPSDReports() async throws {
    let gpsd = try RealGPSD()
    let raw = try RawClient(port: gpsd.port)
    let process = try DaemonProcess(["--gpsd", "127.0.0.1:\(gpsd.port)"])
    try await process.wait(for: "connection") { process.messages.contains("connected to gpsd") }
    let recording = try String(
      contentsOf: DaemonProcess.packageRoot.appendingPathComponent("Recordings/drive.nmea"), encoding: .utf8)
    for epoch in recording.components(separatedBy: "$GNRMC").dropFirst().prefix(60) {
      #expect(gpsd.feed("$GNRMC" + epoch))
    }
    try await process.wait(for: "50 locations") { locations(process.output).count >= 50 }
    let result = try await process.terminate()

    let found = locations(result.output)
    let last = try #require(found.last)
    var reports: [[String: Any]] = []
    // The other client may be behind.
    let hasAll = await eventually {
      reports = raw.reports("TPV").filter { ($0["mode"] as? Int ?? 0) >= 2 && $0["lat"] != nil }
      return reports.contains { report in Self.members.allSatisfy { agree(last[$0], report[$1]) } }
    }
    #expect(hasAll, "gpsd did not report \(last)")
    for location in found {
      let time = try #require(location["time"] as? String)
      let candidates = reports.filter { $0["time"] as? String == time }
      #expect(!candidates.isEmpty, "gpsd reported nothing at \(time)")
      for (ours, theirs) in Self.members {
        #expect(
          candidates.contains { agree(location[ours], $0[theirs]) },
          "\(ours) is \(location[ours] ?? "absent") at \(time), gpsd's \(theirs) \(candidates.map { $0[theirs] ?? "absent" })"
        )
      }
    }
  }

  private func agree(_ ours: Any?, _ theirs: Any?) -> Bool {
    switch (ours, theirs) {
    case (nil, nil): true
    case (let ours as String, let theirs as String): ours == theirs
    case (let ours as NSNumber, let theirs as NSNumber): abs(ours.doubleValue - theirs.doubleValue) < 1e-3
    default: false
    }
  }

  @Test(.timeLimit(.minutes(30)), arguments: [SIGTERM, SIGINT])
  func waitsForGPSDAndEndsOnASignal(number: Int32) async throws {
    let folder = try TemporaryFolder()
    let gpsd = try RealGPSD()
    gpsd.kill()
    let process = try DaemonProcess([
      "--gpsd", "127.0.0.1:\(gpsd.port)", "--region-log", folder.path("regions"), "--log-level", "debug",
    ])
    try await process.wait(for: "a second try") { process.messages.components(separatedBy: "next try").count > 2 }
    try gpsd.start()
    try await process.wait(for: "connection") { process.messages.contains("connected to gpsd") }
    var index = 0
    try await process.wait(for: "locations") {
      gpsd.feed(NMEA.epoch(index))
      index += 1
      return locations(process.output).count > 5
    }
    process.send(signal: number)
    let result = try await process.waitUntilExit()
    #expect(result.status == 0)
    let regions = try String(contentsOfFile: folder.path("regions"), encoding: .utf8)
    #expect(regions.hasSuffix("}\n"))
    #expect(!regions.isEmpty)
  }

  @Test(.timeLimit(.minutes(30))) func sleepsWhileNothingArrives() async throws {
    let folder = try TemporaryFolder()
    let gpsd = try RealGPSD()
    let process = try DaemonProcess([
      "--gpsd", "127.0.0.1:\(gpsd.port)", "--region-socket", "unix:" + folder.path("regions"), "--stale-after", "3600",
    ])
    try await process.wait(for: "connection") { process.messages.contains("connected to gpsd") }
    var index = 0
    try await process.wait(for: "locations") {
      gpsd.feed(NMEA.epoch(index))
      index += 1
      return !locations(process.output).isEmpty
    }
    var wakeups = process.wakeups
    var quietSince = ContinuousClock.now
    try await process.wait(for: "rest") {
      if process.wakeups != wakeups { (wakeups, quietSince) = (process.wakeups, .now) }
      return ContinuousClock.now - quietSince > .seconds(3)
    }
    try await process.terminate()
  }

  /// Feeds `gpsd` with one epoch after the other until `doctor` has ended.
  private func end(
    of doctor: DaemonProcess, feeding gpsd: RealGPSD, _ epoch: (Int) -> String
  ) async throws -> DaemonProcess.Result {
    var index = 0
    try await doctor.wait(for: "the doctor's end") {
      gpsd.feed(epoch(index))
      index += 1
      return !doctor.isRunning
    }
    return try await doctor.waitUntilExit()
  }

  @Test(.timeLimit(.minutes(30))) func doctorNamesWhatIsWrong() async throws {
    let refused = try await DaemonProcess.run(["doctor", "--gpsd", "127.0.0.1:9"])
    #expect(refused.status == 69)
    #expect(refused.output.contains("FAILED   connection"))
    #expect(refused.output.contains("gpsd.socket"))
    #expect(refused.output.hasSuffix("FAILED   verdict: to solve: connection\n"))

    let gpsd = try RealGPSD()
    let silent = try await DaemonProcess.run(["doctor", "--gpsd", "127.0.0.1:\(gpsd.port)", "--timeout", "1"])
    #expect(silent.status == 69)
    #expect(silent.output.contains("FAILED   data"))

    let doctor = try DaemonProcess(["doctor", "--gpsd", "127.0.0.1:\(gpsd.port)", "--timeout", "30"])
    let result = try await end(of: doctor, feeding: gpsd) { NMEA.epoch($0) }
    #expect(result.status == 0)
    #expect(result.output.contains("ok       fix"))
    #expect(result.lines.last?.hasPrefix("ok       verdict: there is a fix") == true, "\(result.output)")
  }

  @Test(.timeLimit(.minutes(30))) func doctorSeesThatNoDeviceIsThere() async throws {
    let gpsd = try RealGPSD(hasSource: false)
    let result = try await DaemonProcess.run(["doctor", "--gpsd", "127.0.0.1:\(gpsd.port)"])
    #expect(result.status == 69)
    #expect(result.output.contains("FAILED   devices"))
  }

  @Test(.timeLimit(.minutes(30))) func doctorSeesThatThereIsNoFixYet() async throws {
    let gpsd = try RealGPSD()
    let doctor = try DaemonProcess(["doctor", "--gpsd", "127.0.0.1:\(gpsd.port)", "--timeout", "4"])
    let satellites = NMEA.sentence("GPGSV,1,1,02,01,40,083,46,02,17,308,41")
    let result = try await end(of: doctor, feeding: gpsd) { NMEA.epoch($0, hasFix: false) + satellites }
    #expect(result.status == 69)
    #expect(result.output.contains("FAILED   fix: no fix yet: 2 satellites seen, 0 used"))
  }

  @Test(.timeLimit(.minutes(30))) func doctorSeesAnUnwritableRegionSocketAndAWrongClock() async throws {
    let gpsd = try RealGPSD()
    let doctor = try DaemonProcess([
      "doctor", "--gpsd", "127.0.0.1:\(gpsd.port)", "--timeout", "30", "--region-socket", "unix:/nowhere/regions",
    ])
    let result = try await end(of: doctor, feeding: gpsd) { NMEA.epoch($0) }
    #expect(result.status == 69)
    #expect(result.output.contains("FAILED   region socket: /nowhere/regions"))
    // What is fed is not of this hour.
    #expect(result.output.contains("warning  clock: "))
  }
}
