import Foundation
import Glibc
import Platform
import TestSupport
import Testing

@testable import Journal

/// What `doctor` says of settings is what `run` does with them.
@Suite(.startsPrograms, .timeLimit(.minutes(30))) struct DoctorVerdictTests {
  /// FOLDER is an empty folder except for `text`, PORT a port that this process uses, FREE one that is free, HELD a journal that
  /// this process writes, and TAKEN a socket on which it listens.
  private static let rows = [
    "--map 127.0.0.1:PORT", "--map localhost:PORT", "--map *:PORT", "--metrics 127.0.0.1:PORT",
    "--region-socket tcp:127.0.0.1:PORT", "--nmea tcp:127.0.0.1:PORT", "--map 127.0.0.1:FREE --metrics 127.0.0.1:FREE",
    "--map localhost:FREE --metrics 127.0.0.1:FREE", "--map *:FREE --metrics 127.0.0.1:FREE",
    "--region-socket tcp:localhost:FREE --nmea tcp:[::1]:FREE", "--map 127.0.0.1:FREE --metrics 127.1:FREE",
    "--map 192.0.2.1:FREE", "--map 127.0.0.1:FREE --map-assets FOLDER/none",
    "--map 127.0.0.1:FREE --map-tiles FOLDER/none.pmtiles", "--map 127.0.0.1:FREE --map-tiles FOLDER/text",
    "--map 127.0.0.1:FREE --map-tiles FOLDER", "--map 127.0.0.1:FREE --map-tiles FOLDER/a --map-assets FOLDER/b",
    "--map-name a", "--map 127.0.0.1:FREE --map-privacy hide:home",
    "--region-log /nowhere/log", "--region-log FOLDER", "--region-log FOLDER/text", "--region-log FOLDER/log",
    "--journal /nowhere/j", "--journal FOLDER", "--journal FOLDER/text", "--journal HELD", "--journal FOLDER/j",
    "--record /nowhere/r", "--record FOLDER", "--record FOLDER/text",
    "--record FOLDER/one --region-log FOLDER/one", "--journal FOLDER/one --record FOLDER/one",
    "--region-socket unix:/proc/s", "--region-socket unix:/nowhere/s", "--region-socket unix:FOLDER/text",
    "--nmea unix:TAKEN", "--region-socket unix:FOLDER/\(String(repeating: "s", count: 120))",
    "--region-socket unix:FOLDER/s --region-socket-group nobodys", "--region-socket pipe:x", "--publish-topic a/b",
    "--fence a=1,1,50 --fence a=1,2,50", "--config FOLDER/none", "--config FOLDER/text",
  ]

  @Test(arguments: rows)
  func verdict(row: String) async throws {
    let folder = try TemporaryFolder()
    try folder.write("precious\n", to: "text")
    let (port, taken, held) = (try LoopbackSocket.listener(), folder.path("taken"), folder.path("held"))
    let socket = try row.contains("TAKEN") ? LoopbackSocket.unix(taken) : -1
    defer { if socket >= 0 { close(socket) } }
    let lock = try row.contains("HELD") ? JournalLock(path: held) : nil
    let (free, gpsd) = (try LoopbackSocket.unusedPort(), try Self.gpsd())
    let words = row.replacing("FOLDER", with: folder.url.path).replacing("PORT", with: "\(port.port)")
      .replacing("FREE", with: "\(free)").replacing("TAKEN", with: taken).replacing("HELD", with: held)
    let flags = words.split(separator: " ").map(String.init) + ["--gpsd", "127.0.0.1:\(gpsd)"]

    let doctor = try await DaemonProcess.run(["doctor"] + flags)
    let run = try DaemonProcess(["run"] + flags)
    try await run.wait(for: "its start or end") { !run.isRunning || run.messages.contains("; source 127.0.0.1:") }
    let isRunning = run.isRunning
    run.send(signal: SIGKILL)
    let status = try await run.waitUntilExit().status
    withExtendedLifetime(lock) {}

    let expected: Int32 = isRunning ? 0 : [64, 78].contains(status) ? status : 69
    #expect(doctor.status == expected, "run: \(isRunning), \(status), \(run.messages); doctor: \(doctor.output)")
    let lines = doctor.output.split(separator: "\n")
    // The last line is the verdict.
    for (index, line) in lines.dropLast().enumerated() where line.hasPrefix("FAILED") {
      #expect(lines[index + 1].contains(" hint: "), "\(line) has no hint")
    }
    if row.contains("FOLDER/a --map-assets FOLDER/b") {
      #expect(doctor.output.contains("map-tiles") && doctor.output.contains("Leaflet is not in"), "\(doctor.output)")
    }
  }

  /// A gpsd with a fix for any number of clients. Returns its port.
  private static func gpsd() throws -> UInt16 {
    let server = try LoopbackSocket.listener()
    let port = server.port
    try Platform.Thread.start {
      while let client = try? server.accept(within: 30) {
        client.send(
          """
          {"class":"VERSION","release":"3.25"}\r
          {"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/a"}]}
          {"class":"WATCH","enable":true}
          {"class":"SKY","device":"/dev/a","nSat":2,"uSat":1}
          {"class":"TPV","device":"/dev/a","mode":3,"lat":1.0,"lon":2.0}
          {"class":"PPS","device":"/dev/a","real_sec":1,"real_nsec":0,"clock_sec":1,"clock_nsec":0}

          """)
        try? Platform.Thread.start { while let bytes = client.receive(), !bytes.isEmpty {} }
      }
    }
    return port
  }
}
