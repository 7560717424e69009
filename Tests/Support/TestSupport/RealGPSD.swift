import Glibc

/// A real gpsd on loopback, fed over a `tcp://` source by the test. Killed when released.
///
/// Blocking; every wait has a deadline.
package final class RealGPSD {
  package static let path: String? = ["/usr/sbin/gpsd", "/usr/local/sbin/gpsd", "/usr/bin/gpsd"].first {
    access($0, X_OK) == 0
  }

  package let port = LoopbackSocket.unusedPort()
  private let controlPath: String
  private var program: BackgroundProgram?
  private let feedListener: LoopbackSocket?
  private var feed: LoopbackSocket?

  /// Starts gpsd, with a source to feed unless `hasSource` is false or there is another one, and waits until it greets.
  package init(hasSource: Bool = true, source: String? = nil) throws {
    // A port that was free a moment ago; gpsd cannot choose one itself.
    controlPath = "/tmp/gpsd-test-\(getpid())-\(port).sock"
    feedListener = hasSource && source == nil ? try LoopbackSocket.listener() : nil
    device = source ?? feedListener.map { "tcp://127.0.0.1:\($0.port)" }
    try start()
  }

  deinit {
    kill()
    unlink(controlPath)
  }

  package let device: String?

  /// Starts gpsd and waits until it greets clients and has its source.
  package func start() throws {
    guard let path = Self.path else { throw SupportError("there is no gpsd on this host") }
    let arguments = [path, "-N", "-n", "-b", "-S", "\(port)", "-F", controlPath] + [device].compactMap { $0 }
    // A shared memory segment of its own, so that two daemons do not meet.
    let environment = ["GPSD_SHM_KEY=0x\(String(segmentKey, radix: 16))"]
    program = try BackgroundProgram(arguments, output: "/dev/null", environment: environment)
    let greets = try eventuallyBlocking(within: 120) {
      if let client = try? LoopbackSocket.client(port: port), let greeting = client.receive(within: 1),
        String(decoding: greeting, as: UTF8.self).hasPrefix("{\"class\":\"VERSION\"")
      {
        return true
      }
      // Another test's connection may have been given the port meanwhile; gpsd ends then, and gets another chance.
      if program?.hasEnded() == true {
        program = try BackgroundProgram(arguments, output: "/dev/null", environment: environment)
      }
      return false
    }
    guard greets else { throw SupportError("gpsd did not greet") }
    try acceptFeed()
  }

  /// Sends bytes through the source; false when gpsd has closed it.
  @discardableResult
  package func feed(_ text: String) -> Bool {
    feed?.send(text) ?? false
  }

  @discardableResult
  package func feed(_ bytes: some Collection<UInt8>) -> Bool {
    feed?.send(bytes) ?? false
  }

  package func closeFeed() { feed = nil }
  package func acceptFeed() throws { feed = try feedListener?.accept(within: 120) }

  /// Sends a command such as `+/dev/ttyUSB0` or `-/dev/ttyUSB0` through the control socket; returns whether gpsd has
  /// done it: OK, of newer ones {"class":"ACK"}.
  @discardableResult
  package func control(_ command: String) throws -> Bool {
    let descriptor = unixSocket(controlPath, connect)
    guard descriptor >= 0 else { throw SupportError("control socket: errno \(errno)") }
    let socket = LoopbackSocket(descriptor: descriptor)
    guard socket.send(command + "\r\n"), let bytes = socket.receive() else {
      throw SupportError("gpsd does not answer on its control socket")
    }
    let answer = String(decoding: bytes, as: UTF8.self)
    return answer.hasPrefix("OK") || answer.contains("\"ACK\"")
  }

  package func signal(_ number: Int32) { program?.signal(number) }

  package func kill() {
    guard let program else { return }
    program.end(SIGKILL)
    (self.program, feed) = (nil, nil)
    // What a killed one leaves behind stays until the host restarts, and there is room for 4096.
    let segment = shmget(segmentKey, 0, 0)
    if segment >= 0 { shmctl(segment, IPC_RMID, nil) }
  }

  private var segmentKey: key_t { 0x4700_0000 + key_t(port) }
}
