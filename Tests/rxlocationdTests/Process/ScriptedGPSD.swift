import Foundation
import TestSupport
import Testing

final class ScriptedGPSD {
  private let server: LoopbackSocket
  private var client: LoopbackSocket?
  private var numbers: SplitMix
  private var second = 0
  /// The reports so far.
  private(set) var sent = 0
  var port: UInt16 { server.port }

  init(seed: UInt64) throws { (server, numbers) = (try LoopbackSocket.listener(), SplitMix(state: seed)) }

  private func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &numbers) < percent }

  /// Accepts the daemon's connection, after the end of the one before.
  func connect(_ process: DaemonProcess) async throws {
    client = nil
    var accepted: LoopbackSocket?
    try await process.wait(for: "connection") {
      if accepted == nil, server.isReadable(within: 0) { accepted = try? server.accept() }
      return accepted != nil
    }
    client = accepted
    client?.send(#"{"class":"VERSION","release":"3.25","proto_major":3,"proto_minor":15}"# + "\r\n")
    try await process.wait(for: "command") { client?.isReadable(within: 0) == true }
    _ = client?.receive()
    let devices = ["/dev/a", "/dev/b"].map { path in
      #"{"class":"DEVICE","path":"\#(path)","activated":"2025-06-20T00:00:00Z"}"#
    }
    client?.send(#"{"class":"DEVICES","devices":[\#(devices.joined(separator: ","))]}"# + "\r\n")
    client?.send(#"{"class":"WATCH","enable":true,"json":true}"# + "\r\n")
  }

  /// Reports in one go.
  func send(_ count: Int, at place: String = #""mode":3,"lat":51.5,"lon":0.001"#) {
    for _ in 0..<count {
      second += 1
      send(place, of: "/dev/a")
    }
  }

  private func send(_ place: String, of device: String) {
    let clock = String(format: "%02d:%02d", second / 60, second % 60)
    sent += 1
    client?.send(#"{"class":"TPV","device":"\#(device)","time":"2025-06-20T10:\#(clock).000Z",\#(place)}"# + "\r\n")
  }

  /// Restarts, silences, lost fixes and two receivers, for a second or two.
  func play(_ process: DaemonProcess) async throws {
    try await connect(process)
    for _ in 0..<14 {
      second += 1
      for device in ["/dev/a", "/dev/b"] where chance(device == "/dev/a" ? 85 : 50) {
        let place =
          chance(85)
          ? #""mode":3,"lat":51.5\#(second / 4 % 2)\#(Int.random(in: 0..<9, using: &numbers)),"lon":0.001"#
          : #""mode":1"#
        send(place, of: device)
      }
      switch Int.random(in: 0..<100, using: &numbers) {
      case 0..<8: try await pause(0.8)
      case 8..<14: try await connect(process)
      case 14..<18:
        // Near the end of the stale limit.
        try await pause(0.645)
      default: try await pause(Double.random(in: 0.01..<0.1, using: &numbers))
      }
    }
    // The last line has to be on its way before the end.
    try await pause(chance(30) ? 0.9 : 0.05)
  }

  private func pause(_ seconds: Double) async throws { try await Task.sleep(for: .seconds(seconds)) }
}
