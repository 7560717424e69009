import Serving
import Foundation
import Testing
import TestSupport

/// `rxlocationd` following Debian's gpsd, which is fed over TCP.
@Suite(
  .startsPrograms, .timeLimit(.minutes(30)), .enabled(if: RealGPSD.path != nil, "there is no gpsd on this host"))
struct LiveTests {
  /// The members of a location record and of the TPV report that they come from.
  private static let members = [
    "time": "time", "latitude": "lat", "longitude": "lon", "altitude": "altMSL", "ellipsoidalAltitude": "altHAE",
    "horizontalAccuracy": "eph", "verticalAccuracy": "epv", "course": "track", "courseAccuracy": "epd",
    "speed": "speed", "speedAccuracy": "eps", "mode": "mode", "source": "device",
  ]

  @Test func printsWhatGPSDReports() async throws {
    let gpsd = try RealGPSD()
    let raw = try RawClient(port: gpsd.port)
    let process = try DaemonProcess(["--gpsd", "127.0.0.1:\(gpsd.port)"])
    try await process.wait(toSay: "connected to gpsd")
    for epoch in try Checkout.text("Recordings/drive.nmea").components(separatedBy: "$GNRMC").dropFirst().prefix(60) {
      #expect(gpsd.feed("$GNRMC" + epoch))
    }
    try await process.wait(for: "50 locations") { process.records("location").count >= 50 }
    let result = try await process.terminate()

    let found = result.records("location")
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

  @Test func waitsForGPSDAndSleepsWhileNothingArrives() async throws {
    let folder = TemporaryFolder()
    let gpsd = try RealGPSD()
    gpsd.kill()
    let process = try DaemonProcess([
      "--gpsd", "127.0.0.1:\(gpsd.port)", "--region-log", folder.path("log"), "--log-level", "debug",
      "--region-socket", "unix:" + folder.path("regions"), "--stale-after", "3600",
    ])
    try await process.wait(for: "a second try") { process.messages.components(separatedBy: "next try").count > 2 }
    try gpsd.start()
    try await process.wait(toSay: "connected to gpsd")
    var index = 0
    try await process.wait(for: "locations") {
      gpsd.feed(NMEA.epoch(index))
      index += 1
      return process.records("location").count > 5
    }
    var wakeups = process.wakeups
    var quietSince = ContinuousClock.now
    try await process.wait(for: "rest") {
      if process.wakeups != wakeups { (wakeups, quietSince) = (process.wakeups, .now) }
      return ContinuousClock.now - quietSince > .seconds(3)
    }
    try await process.terminate()
    #expect(contents(folder.path("log")).hasSuffix("}\n"))
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

  @Test func doctorNamesWhatIsWrong() async throws {
    let refused = try await DaemonProcess.run(["doctor", "--gpsd", "127.0.0.1:9"], status: 69)
    #expect(refused.output.contains("FAILED   connection"))
    #expect(refused.output.contains("gpsd.socket"))
    #expect(refused.output.hasSuffix("FAILED   verdict: to solve: connection\n"))

    let gpsd = try RealGPSD()
    let flags = ["doctor", "--gpsd", "127.0.0.1:\(gpsd.port)", "--timeout"]
    let silent = try await DaemonProcess.run(flags + ["1"], status: 69)
    #expect(silent.output.contains("FAILED   data"))
    let satellites = NMEA.sentence("GPGSV,1,1,02,01,40,083,46,02,17,308,41")
    let searching = try await end(of: DaemonProcess(flags + ["4"]), feeding: gpsd) {
      NMEA.epoch($0, hasFix: false) + satellites
    }
    #expect(searching.status == 69)
    #expect(searching.output.contains("FAILED   fix: no fix yet: 2 satellites seen, 0 used"), "\(searching.output)")
    let doctor = try DaemonProcess(flags + ["30", "--region-socket", "unix:/nowhere/regions"])
    let result = try await end(of: doctor, feeding: gpsd) { NMEA.epoch(1000 + $0) }
    #expect(result.status == 69)
    // What is fed is not of this hour.
    for words in ["ok       fix", "FAILED   region socket: /nowhere/regions", "warning  clock: "] {
      #expect(result.output.contains(words), "\(result.output)")
    }
  }
}
