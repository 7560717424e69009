import Foundation
import Testing
import TestSupport

/// The program at a stand-in for gpsd, which says what a real one does not say on command.
@Suite(.startsPrograms) struct StandInTests {
  private let server: LoopbackSocket

  init() throws {
    server = try LoopbackSocket.listener()
  }

  /// The program, and its connection after the handshake.
  private func start(space: String = "") throws -> (process: DaemonProcess, gpsd: LoopbackSocket) {
    // Silence counts as no loss, for a busy machine may be slow to look.
    let process = try DaemonProcess(["--gpsd", "127.0.0.1:\(server.port)", "--stale-after", "3600"])
    let gpsd = try server.accept()
    gpsd.send(#"{"class":\#(space)"VERSION","release":"3.22","proto_major":3,"proto_minor":14}"# + "\n")
    _ = gpsd.receive()
    gpsd.send(#"{"class":\#(space)"WATCH","enable":true,"json":true}"# + "\n")
    return (process, gpsd)
  }

  private func locations(_ process: DaemonProcess) -> Int {
    process.output.split(separator: "\n").count { $0.hasPrefix(#"{"type":"location""#) }
  }

  private func end(_ process: DaemonProcess) async throws {
    try await process.terminate()
  }

  @Test func otherProgramsWriteSpaces() async throws {
    let (process, gpsd) = try start(space: " ")
    gpsd.send(#"{"class": "TPV", "device": "/dev/a", "mode": 3, "lat": 1.5, "lon": 2}"# + "\n")
    try await process.wait(for: "a location") { locations(process) == 1 }
    try await end(process)
  }

  @Test func doctorTellsOfTheReceiversFault() async throws {
    let process = try DaemonProcess(["doctor", "--gpsd", "127.0.0.1:\(server.port)", "--timeout", "30"])
    let gpsd = try server.accept()
    gpsd.send(#"{"class":"VERSION","release":"3.26","proto_major":3,"proto_minor":14}"# + "\n")
    _ = gpsd.receive()
    gpsd.send(#"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/a"}]}"# + "\n")
    gpsd.send(#"{"class":"WATCH","enable":true,"json":true}"# + "\n")
    gpsd.send(#"{"class":"TPV","device":"/dev/a","mode":3,"lat":1.5,"lon":2,"ant":3}"# + "\n")
    gpsd.send(#"{"class":"SKY","device":"/dev/a","nSat":9,"uSat":8}"# + "\n")
    let result = try await process.waitUntilExit()
    #expect(result.status == 0)
    #expect(
      result.output.contains("warning  doubts: the receiver reports jamming or a fault of its antenna"),
      "\(result.output)")
  }

  @Test func aReceiverWithoutAFixDoesNotHideOneThatHasIt() async throws {
    let (process, gpsd) = try start()
    for second in 10..<30 {
      let time = "2026-02-01T12:00:\(second).000Z"
      gpsd.send(#"{"class":"TPV","device":"/dev/a","mode":3,"time":"\#(time)","lat":1,"lon":2}"# + "\n")
      gpsd.send(#"{"class":"TPV","device":"/dev/b","mode":1}"# + "\n")
    }
    try await process.wait(for: "all locations") { locations(process) == 20 }
    #expect(!process.output.contains("locationUnknown"))
    try await end(process)
  }

  @Test func anUntimedReportThatSaysNothingNewIsNotRepeated() async throws {
    let (process, gpsd) = try start()
    for latitude in [1.5, 1.5, 2.5, 2.5, 3.5] {
      gpsd.send(#"{"class":"TPV","device":"/dev/a","mode":2,"lat":\#(latitude),"lon":2}"# + "\n")
    }
    try await process.wait(for: "the last location") { process.output.contains(#""latitude":3.5"#) }
    #expect(locations(process) == 3)
    try await end(process)
  }
}
