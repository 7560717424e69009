import Foundation
import Testing
import TestSupport

/// The program at a stand-in for gpsd, which says what a real one does not say on command.
@Suite(.startsPrograms) struct StandInTests {
  @Test func doctorTellsOfTheReceiversFault() async throws {
    let server = try LoopbackSocket.listener()
    let process = try DaemonProcess(["doctor", "--gpsd", "127.0.0.1:\(server.port)", "--timeout", "30"])
    let gpsd = try DaemonProcess.greeted(server)
    gpsd.send(#"{"class":"TPV","device":"/dev/a","mode":3,"lat":1.5,"lon":2,"ant":3}"# + "\n")
    gpsd.send(#"{"class":"SKY","device":"/dev/a","nSat":9,"uSat":8}"# + "\n")
    let result = try await process.waitUntilExit(status: 0)
    let words = "warning  doubts: the receiver reports jamming or a fault of its antenna"
    #expect(result.output.contains(words), "\(result.output)")
    #expect(result.lines.last?.hasPrefix("ok       verdict: there is a fix") == true, "\(result.output)")
  }

  /// The other program writes spaces. Silence counts as no loss, for a busy machine may be slow to look.
  @Test func whatIsNewIsReportedOnce() async throws {
    let server = try LoopbackSocket.listener()
    let (process, gpsd) = try DaemonProcess.following(server, ["--stale-after", "3600"], space: " ")
    func send(_ device: String, _ members: String) {
      gpsd.send(#"{"class": "TPV", "device": "/dev/\#(device)", \#(members)}"# + "\n")
    }
    // An untimed report that says nothing new is not repeated.
    for latitude in [1.5, 1.5, 2.5, 2.5, 3.5] { send("a", #""mode": 2, "lat": \#(latitude), "lon": 2"#) }
    try await process.wait(for: "the last location") { process.output.contains(#""latitude":3.5"#) }
    #expect(process.records("location").count == 3)
    // A receiver without a fix does not hide one that has it.
    for second in 10..<30 {
      send("a", #""mode": 3, "time": "2026-02-01T12:00:\#(second).000Z", "lat": 1, "lon": 2"#)
      send("b", #""mode": 1"#)
    }
    try await process.wait(for: "all locations") { process.records("location").count == 23 }
    #expect(!process.output.contains("locationUnknown"))
    try await process.terminate()
  }
}
