import Foundation
import TestSupport
import Testing

@Suite(.startsProgramsForLong) struct NMEASocketTests {
  private let folder = TemporaryFolder()

  /// The kind of a sentence: RMC of "$GPRMC,…".
  private func kind(_ line: String) -> String { String(line.dropFirst(3).prefix(3)) }

  @Test func aReaderGetsEachFixAndItsLoss() async throws {
    let path = folder.path("s")
    let process = try DaemonProcess(
      ["replay", "-", "--speed", "max", "--nmea", "unix:\(path)", "--region-socket-mode", "606"], keepsInputOpen: true)
    process.feed(0..<10)
    try await process.wait(for: "locations") { process.output.split(separator: "\n").count > 5 }
    // The newest fix comes at once. The satellites are followed from the next one on, and written with the one after them.
    let reader = try await SocketReader(unix: path)
    var status = stat()
    #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o606)
    #expect(try await reader.lines(atLeast: 4)[0].contains("00,N,00007.500000,W,10.000,45.00,010225,,,A*"))
    for epoch in 10..<30 {
      if try await reader.lines(atLeast: 4 * max(1, epoch - 11)).contains(where: { kind($0) == "GSV" }) { break }
      process.write(NMEA.epoch(epoch))
    }
    _ = try await reader.lines { $0.contains { kind($0) == "GSV" } }
    process.feed(30..<34, hasFix: false)
    let lines = try await reader.lines { $0.contains { $0.contains("RMC,") && $0.contains(",V,") } }
    #expect(lines.contains { kind($0) == "GSA" } && lines.contains { kind($0) == "VTG" }, "\(lines)")
    // The receiver's time goes on from that of the last fix.
    #expect(
      lines.last { kind($0) == "RMC" }?.contains(/^\$GPRMC,1200\d\d\.\d{3},V,,,,,,,010225,,,N\*/) == true, "\(lines)")
    // The loss is what a later reader gets first.
    let later = try await SocketReader(unix: path)
    #expect(try await later.lines(atLeast: 1)[0].contains(",V,,,,,,,010225,"))
    process.closeInput()
    try await process.waitUntilExit(status: 0)
  }

  /// gpsd takes the address for a receiver.
  @Test(.enabled(if: RealGPSD.path != nil, "there is no gpsd on this host"), arguments: ["tcp", "pty"])
  func gpsdFollowsAReplay(kind: String) async throws {
    let port = LoopbackSocket.unusedPort()
    let link = folder.path("gps")
    // gpsd gives its rights away, so that it can use a terminal only by the mode.
    let replay = try DaemonProcess(
      [
        "replay", "Recordings/drive.nmea", "--speed", "5", "--loop", "--format", "none", "--nmea",
        kind == "tcp" ? "tcp:127.0.0.1:\(port)" : "pty:\(link)",
      ] + (kind == "pty" ? ["--region-socket-mode", "666"] : []))
    try await replay.wait(for: "its address") {
      kind == "pty" ? access(link, F_OK) == 0 : (try? LoopbackSocket.client(port: port)) != nil
    }
    let gpsd = try RealGPSD(source: kind == "tcp" ? "tcp://127.0.0.1:\(port)" : link)
    let follower = try DaemonProcess(["--gpsd", "127.0.0.1:\(gpsd.port)"])
    try await follower.wait(for: "locations through gpsd") { follower.output.split(separator: "\n").count > 20 }
    let recording = try await DaemonProcess.run(["replay", "Recordings/drive.nmea", "--speed", "max"])
    func places(_ records: [[String: Any]]) -> [String: [String: Any]] {
      Dictionary(records.map { ($0["time"] as? String ?? "", $0) }, uniquingKeysWith: { $1 })
    }
    let (original, through) = (places(recording.records("location")), places(follower.records("location")))
    let common = Set(original.keys).intersection(through.keys)
    #expect(common.count > 10, "\(through.keys)")
    for time in common {
      for (member, tolerance) in ["latitude": 1e-7, "longitude": 1e-7, "altitude": 0.01, "speed": 0.01] {
        let (a, b) = (original[time]?[member] as? Double, through[time]?[member] as? Double)
        #expect(abs((a ?? .nan) - (b ?? .nan)) <= tolerance, "\(member) at \(time): \(a as Any), \(b as Any)")
      }
    }
    for process in [replay, follower] { try await process.terminate() }
  }

  /// One recording has no number of satellites, the other loses its fix for a while.
  @Test(.enabled(if: RealGPSD.path != nil, "there is no gpsd on this host"), arguments: [false, true])
  func gpsdTakesAFixForAFix(isLost: Bool) async throws {
    let epochs = (0..<200).map { epoch in
      isLost ? NMEA.epoch(epoch, hasFix: !(120..<130).contains(epoch)) : NMEA.plainFix(epoch)
    }
    let recording = try folder.write(epochs.joined(), to: "recording.nmea")
    let port = LoopbackSocket.unusedPort()
    let replay = try DaemonProcess([
      "replay", recording, "--speed", "10", "--stale-after", "3", "--format", "none", "--nmea",
      "tcp:127.0.0.1:\(port)",
    ])
    try await replay.wait(for: "its address") { (try? LoopbackSocket.client(port: port)) != nil }
    let gpsd = try RealGPSD(source: "tcp://127.0.0.1:\(port)")
    let client = try RawClient(port: gpsd.port)
    #expect(await eventually { client.reports("TPV").count >= 150 })
    let reports = client.reports("TPV")
    // gpsd knows the receiver after some epochs.
    let settled = reports.dropFirst(10)
    let fixes = settled.filter { ($0["mode"] as? Int ?? 0) > 1 }
    if isLost {
      let times = Dictionary(grouping: fixes) { $0["time"] as? String }
      #expect(!fixes.isEmpty && fixes.count < settled.count)
      #expect(times.values.allSatisfy { $0.count == 1 }, "\(times.mapValues(\.count).filter { $0.value > 1 })")
      #expect(fixes.allSatisfy { $0["alt"] != nil || $0["altMSL"] != nil })
    } else {
      #expect(settled.allSatisfy { $0["mode"] as? Int == 2 }, "\(settled.map { $0["mode"] as? Int ?? -1 })")
    }
    try await replay.terminate()
  }
}
