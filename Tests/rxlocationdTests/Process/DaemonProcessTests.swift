import Glibc
import TestSupport
import Testing

/// What the other tests of processes rely on.
@Suite(.startsPrograms) struct DaemonProcessTests {
  /// As when a test throws before it ends its daemon.
  @Test func aProcessThatIsReleasedEnds() async throws {
    func start() throws -> pid_t { try DaemonProcess(["--gpsd", "127.0.0.1:9"]).identifier }
    let process = try start()
    #expect(await eventually { kill(process, 0) != 0 })
  }
}
