import Serving
import Foundation
import Testing
import TestSupport

@Suite(.startsPrograms) struct RegionSocketProcessTests {
  private let folder = TemporaryFolder()

  private let recording = "Recordings/drive.nmea"

  @Test func anAddressThatIsNotThereYetHoldsUpNothing() async throws {
    // No machine has an address of 192.0.2.0/24.
    let process = try DaemonProcess([
      "replay", recording, "--speed", "20", "--loop", "--region-socket", "tcp:192.0.2.7:2948",
    ])
    try await process.wait(for: "the warning") {
      process.messages.contains("warning: region socket tcp:192.0.2.7:2948")
        && process.messages.contains("no interface of this machine has that address")
    }
    try await process.wait(for: "locations") { process.output.split(separator: "\n").count > 10 }
    try await process.terminate()
  }

  @Test func aLockOnTheFolderHoldsUpNothing() async throws {
    let lock = open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    #expect(flock(lock, LOCK_EX) == 0)
    defer { close(lock) }
    let path = folder.path("s")
    let process = try DaemonProcess(["replay", recording, "--speed", "20", "--loop", "--region-socket", "unix:\(path)"])
    try await process.wait(toSay: "another program holds a lock on")
    try await process.wait(for: "locations") { process.output.split(separator: "\n").count > 10 }
    flock(lock, LOCK_UN)
    let reader = try await SocketReader(unix: path)
    #expect(try await reader.lines(atLeast: 2).count >= 2)
    try await process.terminate()

    // And SIGTERM works while the lock is held.
    #expect(flock(lock, LOCK_EX) == 0)
    let waiting = try DaemonProcess(["--gpsd", "127.0.0.1:9", "--region-socket", "unix:\(path)"])
    try await waiting.wait(toSay: "another program holds a lock on")
    try await waiting.terminate()
  }

  @Test func theStarIsEveryAddress() async throws {
    let (regions, metrics) = (LoopbackSocket.unusedPort(), LoopbackSocket.unusedPort())
    let process = try DaemonProcess([
      "replay", recording, "--speed", "20", "--loop", "--region-socket", "tcp:*:\(regions)", "--metrics",
      "*:\(metrics)",
    ])
    try await process.wait(for: "locations") { process.output.split(separator: "\n").count > 3 }
    // Metrics have no position.
    #expect(process.messages.contains("tcp:*:\(regions) is not on loopback: other machines can reach it and see where"))
    #expect(process.messages.components(separatedBy: "see where the receiver is").count == 2)
    for port in [regions, metrics] {
      try await process.wait(toSay: "*:\(port) is not on loopback: other machines can reach it")
      // 127.0.0.2 is this machine, but not 127.0.0.1.
      let table = try String(contentsOfFile: "/proc/net/tcp6", encoding: .utf8)
      #expect(table.contains("00000000000000000000000000000000:" + String(format: "%04X", port)))
    }
    try await process.terminate()
  }

  @Test(.enabled(if: access("/usr/bin/python3", X_OK) == 0, "there is no python3 on this host"))
  func aSocketThatTheServiceManagerOpenedIsServed() async throws {
    let path = folder.path("s")
    // As systemd does it: the third descriptor listens, and two variables say so.
    let script = """
      import os, socket, sys
      listener = socket.socket(socket.AF_UNIX)
      listener.bind(sys.argv[1])
      listener.listen()
      os.dup2(listener.fileno(), 3)
      os.set_inheritable(3, True)
      os.environ.update(LISTEN_FDS="1", LISTEN_PID=str(os.getpid()))
      os.execv(sys.argv[2], sys.argv[2:])
      """
    let process = try DaemonProcess(
      "/usr/bin/python3",
      ["-c", script, path, DaemonProcess.executable.path, "replay", recording, "--speed", "20", "--loop"])
    let reader = try await SocketReader(unix: path)
    #expect(try await reader.lines(atLeast: 2).count >= 2)
    try await process.terminate()
  }

  @Test func asManyReadersAsTheSystemAllows() async throws {
    let path = folder.path("s")
    let process = try DaemonProcess(
      bash: "ulimit -Sn 64; exec $B --gpsd 127.0.0.1:9 --region-socket unix:'\(path)'")
    try await process.wait(for: "the socket") { access(path, F_OK) == 0 }
    let limits = try String(contentsOfFile: "/proc/\(process.identifier)/limits", encoding: .utf8)
    let soft = try #require(limits.firstMatch(of: /Max open files +(\d+)/)?.1)
    #expect(Int(soft) ?? 0 > 64)
    try await process.terminate()
  }

  @Test func aRemovedSocketAndARemovedLogAreMadeAgain() async throws {
    let (path, log) = (folder.path("s"), folder.path("regions"))
    let process = try DaemonProcess(
      [
        "replay", "-", "--speed", "max", "--format", "none", "--region-socket", "unix:\(path)", "--region-log", log,
      ], keepsInputOpen: true)
    func regions() -> Int { contents(log).count { $0 == "\n" } }
    process.feed(0..<10)
    try await process.wait(for: "regions") { regions() > 5 }
    let old = try await SocketReader(unix: path)
    #expect(unlink(path) == 0 && unlink(log) == 0)
    try await process.wait(toSay: "unix:\(path) is open now")
    #expect(process.messages.contains("warning: region socket unix:\(path) was removed"), "\(process.messages)")
    let new = try await SocketReader(unix: path)
    try await process.wait(for: "both readers") {
      process.send(signal: SIGUSR1)
      return process.messages.contains("2 readers,")
    }
    process.feed(10..<60)
    try await process.wait(for: "regions in the new file") { regions() > 40 }
    try await process.wait(toSay: "region log \(log) was removed or replaced; writing continues in a new file")
    // Connections stay.
    for reader in [old, new] { _ = try await reader.lines(atLeast: 40) }
    try await process.terminate()
    #expect(access(path, F_OK) == -1)
  }
}
