import FoundationEssentials
import Glibc
import Platform
import Synchronization

@testable import GPSD

/// A receiver and its gpsd, which send one fix after another as gpsd's JSON. The altitude of a fix is its number.
@MainActor
final class SimulatedGPSD {
  /// What the receiver does now.
  var isRunning = true { didSet { isRunning ? starts += 1 : stop() } }
  private(set) var starts = 0
  var isSilent = false
  var hasFix = true
  var repeats = false
  /// Seconds from one fix to the next.
  var interval = 1.0
  /// Degrees by which the position jumps for a moment.
  var jump = 0.0
  /// Seconds by which the receiver's clock is wrong.
  var timeShift = 0.0
  /// Whether fixes have a time.
  var hasTime = true
  /// Whether times have milliseconds, so that no two fixes have the same.
  let hasFractions: Bool

  private let world: World
  private var connection: Connection?
  private(set) var lastNumber = 0
  /// When the last fix was sent, and since when fixes have come without a disturbance.
  private(set) var (lastFix, steadySince) = (-Double.infinity, 0.0)
  /// The way leads from one side of the fence to the other, in hours.
  private var angle = 0.0

  init(_ world: World) {
    self.world = world
    hasFractions = world.isLucky(0.5)
    world.after(0) { [self] in tick() }
  }

  nonisolated func connector() -> some GPSDConnector & Sendable { Connector(gpsd: self) }

  private func stop() {
    connection?.close()
    steadySince = world.now
  }

  private func tick() {
    world.after(interval * world.number(0.95..<1.05)) { [self] in tick() }
    guard isRunning, !isSilent, let connection else { return steadySince = world.now }
    if !hasFix || repeats || !hasTime || timeShift != 0 { steadySince = world.now }
    if !hasFix { return connection.emit(#"{"class":"TPV","device":"/dev/gps","mode":1}"#) }
    lastNumber += 1
    lastFix = world.now
    // One round in half an hour crosses the fence twice.
    angle += interval / 1800 * 2 * .pi
    let latitude = 47 + 0.01 * sin(angle) + jump
    let time = (world.clock.date + timeShift)
      .ISO8601Format(Date.ISO8601FormatStyle(includingFractionalSeconds: hasFractions))
    let member = hasTime ? #""time":"\#(time)","# : ""
    let line =
      #"{"class":"TPV","device":"/dev/gps","mode":3,\#(member)"lat":\#(latitude),"lon":8,"altHAE":\#(lastNumber),"#
      + #""altMSL":\#(lastNumber),"eph":3,"epv":5,"speed":10,"track":90}"#
    connection.emit(line)
    if repeats { connection.emit(line) }
  }

  private nonisolated struct Connector: GPSDConnector, Sendable {
    let gpsd: SimulatedGPSD

    func connect() throws(ConnectionFailure) -> any GPSDStream {
      let stream = MainActor.assumeIsolated { () -> Connection? in
        guard gpsd.isRunning else { return nil }
        let connection = Connection(gpsd.world)
        gpsd.connection?.close()
        gpsd.connection = connection
        connection.emit(#"{"class":"VERSION","release":"3.25","proto_major":3,"proto_minor":15}"#)
        return connection
      }
      guard let stream else { throw .connecting(.system("refused")) }
      return stream
    }
  }

  /// A connection whose bytes arrive in pieces of any length.
  private nonisolated final class Connection: GPSDStream, Sendable {
    private struct State {
      var bytes: [UInt8] = []
      var isClosed = false
    }

    private let world: World
    private let state = Mutex(State())

    init(_ world: World) { self.world = world }

    @MainActor func emit(_ line: String) { state.withLock { $0.bytes += Array((line + "\n").utf8) } }

    /// Closes the connection, perhaps in the middle of a line.
    @MainActor func close() {
      let cut = world.number(0...40)
      state.withLock { state in
        state.bytes.removeLast(min(cut, state.bytes.count))
        state.isClosed = true
      }
    }

    func wait(seconds: Double?) -> Wakeup.Outcome {
      state.withLock { $0.bytes.isEmpty && !$0.isClosed } ? .timedOut : .ready
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(ConnectionFailure) -> Int? {
      let size = buffer.count
      let most = MainActor.assumeIsolated { world.isLucky(0.9) ? size : world.number(1...60) }
      return state.withLock { state in
        if state.bytes.isEmpty { return state.isClosed ? 0 : nil }
        let piece = state.bytes.prefix(min(most, size))
        buffer.copyBytes(from: piece)
        state.bytes.removeFirst(piece.count)
        return piece.count
      }
    }

    func send(_ command: String) throws(ConnectionFailure) {
      MainActor.assumeIsolated {
        emit(
          #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/gps","activated":"2025-06-20T00:00:00Z"}]}"#)
        emit(#"{"class":"WATCH","enable":true,"json":true}"#)
      }
    }
  }
}
