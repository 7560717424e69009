import FoundationEssentials
import LocationKit
import Platform
import Replay
import Synchronization
import Testing
import TestSupport

@testable import GPSD

/// A run of a simulated gpsd is recorded, and its replay is compared with it.
@MainActor @Suite(.inTurn) struct GPSDRecordingTests {
  /// Everything that a manager tells its delegate, with the time on the source's clock.
  @MainActor final class Log: LocationManagerDelegate {
    let manager: LocationManager
    private(set) var lines: [String] = []
    private(set) var hasEnded = false

    init(_ source: any LocationSource) {
      manager = LocationManager(source: source)
      manager.staleAfter = 4
      manager.delegate = self
      manager.startMonitoring(
        for: Region(center: LocationCoordinate2D(latitude: 51.5, longitude: 0), radius: 300, identifier: "a"))
      manager.startMonitoringDoubts(notBefore: Date(timeIntervalSince1970: 1_750_000_000))
      manager.startUpdatingHeading()
      manager.startUpdatingLocation()
    }

    private func note(_ text: String) { lines.append("\(manager.source.clock.now) \(text)") }

    func locationManager(_ manager: LocationManager, didUpdateLocations locations: [Location]) {
      for var location in locations {
        location.sourceInformation?.isSimulatedBySoftware = false
        note("\(location)")
      }
    }
    func locationManager(_ manager: LocationManager, didFailWithError error: LocationError) { note("\(error)") }
    func locationManager(_ manager: LocationManager, didUpdateHeading heading: Heading) { note("\(heading)") }
    func locationManager(_ manager: LocationManager, didEnterRegion region: Region) { note("enter") }
    func locationManager(_ manager: LocationManager, didExitRegion region: Region) { note("exit") }
    func locationManager(_ manager: LocationManager, didChangeSourceStatus status: LocationSourceStatus) {
      if status != .finished { note("\(status)") }
    }
    func locationManager(_ manager: LocationManager, didChangeFixState state: FixState) {
      if !hasEnded, manager.source.status != .finished { note("\(state)".prefix { $0 != "(" }.description) }
    }
    func locationManager(_ manager: LocationManager, didChangeDoubts doubts: Doubts) { note("doubts \(doubts.names)") }
    func locationManagerDidReachEndOfRecording(_ manager: LocationManager) { hasEnded = true }
  }

  /// A host, its gpsd and a source, whose time and lines come from a seed.
  @MainActor private final class World {
    private final class Shared: Sendable {
      let time = Mutex(1000.0)
      /// The time of day at 0 s.
      let midnight = Mutex(1_750_377_600.0)
      let stream = Mutex<FakeStream?>(nil)
      let isReachable = Mutex(true)
      let loop = Mutex<Loop?>(nil)
    }

    private final class FakeStream: GPSDStream, Sendable {
      private let state = Mutex((bytes: [UInt8](), isClosed: false))
      func emit(_ line: String) { state.withLock { $0.bytes += Array((line + "\r\n").utf8) } }
      func close() { state.withLock { $0.isClosed = true } }
      var isReadable: Bool { state.withLock { !$0.bytes.isEmpty || $0.isClosed } }
      func wait(seconds: Double?) -> Wakeup.Outcome { isReadable ? .ready : .timedOut }
      func read(into buffer: UnsafeMutableRawBufferPointer) throws(ConnectionFailure) -> Int? {
        state.withLock { state in
          if state.bytes.isEmpty { return state.isClosed ? 0 : nil }
          let piece = state.bytes.prefix(buffer.count)
          buffer.copyBytes(from: piece)
          state.bytes.removeFirst(piece.count)
          return piece.count
        }
      }
      func send(_ command: String) throws(ConnectionFailure) {
        emit(#"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/a","activated":"2025-06-20T00:00:00Z"}]}"#)
        emit(#"{"class":"WATCH","enable":true,"json":true}"#)
      }
    }

    private struct FakeConnector: GPSDConnector {
      let shared: Shared
      func connect() throws(ConnectionFailure) -> any GPSDStream {
        guard shared.isReachable.withLock({ $0 }) else { throw .connecting(.refused("Connection refused")) }
        let stream = FakeStream()
        shared.stream.withLock { $0 = stream }
        stream.emit(#"{"class":"VERSION","release":"3.25","proto_major":3,"proto_minor":15}"#)
        return stream
      }
    }

    private let shared = Shared()
    private let alarm = VirtualClock()
    private var numbers: SplitMix
    private var due = 0.0
    private var isEnded = false
    let source: GPSDSource
    let log: Log

    init(seed: UInt64) {
      numbers = SplitMix(state: seed)
      var host = Host.system
      let shared = shared
      host.seconds = { shared.time.withLock { $0 } }
      host.date = { Date(timeIntervalSince1970: shared.midnight.withLock { $0 } + shared.time.withLock { $0 }) }
      host.run = { loop in shared.loop.withLock { $0 = loop } }
      source = GPSDSource(
        endpoint: GPSDEndpoint(device: seed % 5 == 4 ? "/dev/a" : nil),
        configuration: GPSDConfiguration(quietTries: 2), clock: SourceClock(host, alarm: alarm), host: host
      ) { _ in FakeConnector(shared: shared) }
      let lines = Lines()
      source.onRecord = { lines.bytes += $0 }
      self.lines = lines
      log = Log(source)
    }

    @MainActor private final class Lines { var bytes: [UInt8] = [] }
    private let lines: Lines

    private func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &numbers) < percent }

    /// Lets the source act until it waits.
    private func run() {
      guard let loop = shared.loop.withLock({ $0 }), !isEnded else { return }
      if shared.stream.withLock({ $0?.isReadable == true }) {
        _ = loop.wait(until: 0)
      } else if shared.time.withLock({ $0 < due }) {
        return
      }
      while true {
        switch loop.step() {
        case .ready: continue
        case .waiting(let time):
          due = time
          if shared.stream.withLock({ $0?.isReadable == true }), time == .infinity || time > 0 {
            // Only a stream makes the loop wait for bytes; a pause ignores them.
            if loop.wait(until: 0) { continue }
          }
          return
        case .ended:
          isEnded = true
          return
        }
      }
    }

    private func pass(_ seconds: Double) {
      var rest = seconds
      while rest > 0 {
        let step = min(rest, Double.random(in: 0.01..<0.2, using: &numbers))
        rest -= step
        shared.time.withLock { $0 += step }
        // The host runs timers late now and then.
        if chance(90) { alarm.advance(to: shared.time.withLock { $0 } - 1000) }
        run()
      }
    }

    /// By how much the host's clock was set.
    private(set) var set = 0.0

    func play() -> [UInt8] {
      var second = 0
      for _ in 0..<150 {
        switch Int.random(in: 0..<100, using: &numbers) {
        case 0..<3: pass(Double.random(in: 3.9..<4.6, using: &numbers))
        case 3: pass(Double.random(in: 5..<30, using: &numbers))
        case 4:
          shared.stream.withLock { $0?.close() }
          if chance(50) {
            shared.isReachable.withLock { $0 = false }
            pass(Double.random(in: 0.1..<10, using: &numbers))
            shared.isReachable.withLock { $0 = true }
          }
        case 5:
          let step = Double.random(in: -5000..<5000, using: &numbers)
          set += step
          shared.midnight.withLock { $0 += step }
        default: break
        }
        second += 1
        for device in ["/dev/a", "/dev/b"] where chance(device == "/dev/a" ? 85 : 60) {
          let mode = chance(88) ? (chance(70) ? 3 : 2) : 1
          let time = chance(85) ? #""time":"2025-06-20T1\#(second / 60 % 10):00:\#(10 + second % 50).000Z","# : ""
          let place =
            mode > 1
            ? #","lat":51.5\#(second / 40 % 2)\#(Int.random(in: 0..<2, using: &numbers)),"lon":0.001,"eph":\#(Int.random(in: 1..<9, using: &numbers))"#
            : ""
          let fault = second / 50 % 2 == 1 ? #","jam":200"# : #","ant":1"#
          let line = #"{"class":"TPV","device":"\#(device)",\#(time)"mode":\#(mode)\#(place)\#(fault)}"#
          emit(line)
          if chance(30) { emit(line) }
          if chance(30) {
            emit(
              #"{"class":"SKY","device":"\#(device)","hdop":1.\#(second % 10),"satellites":[{"PRN":5,"used":true},{"PRN":7,"used":false}]}"#
            )
          }
          if chance(10) { emit(#"{"class":"ATT","device":"\#(device)","heading":\#(second % 360).5}"#) }
        }
        if chance(2) { emit(#"{"class":"DEVICE","path":"/dev/b","activated":0}"#) }
        if chance(1) { emit(#"{"class":"TPV","device":"/dev/a","mode":"#) }
        pass(chance(80) ? 1 : Double.random(in: 0.1..<2, using: &numbers))
      }
      source.endRecord()
      return lines.bytes
    }

    private func emit(_ line: String) { shared.stream.withLock { $0?.emit(line) } }
  }

  private static func input(_ text: String) -> ReplayInput { ReplayInput(name: "record", bytes: Array(text.utf8)) }

  @Test func aRecordSaysWhenItBegan() {
    let line = #"1750377600.250000: {"class":"WATCH","enable":true}"# + "\n"
    #expect(GPSDRecording([Self.input(line + line)]).beginning == Date(timeIntervalSince1970: 1_750_377_600.25))
  }

  @Test(arguments: 0..<UInt64(runsLongTests ? 40 : 10)) func aReplayRepeatsTheRun(seed: UInt64) async throws {
    let world = World(seed: seed)
    let record = world.play()
    let live = world.log.lines
    let log = Log(GPSDRecording([ReplayInput(name: "record", bytes: record)], speed: .max))
    #expect(await eventually { log.hasEnded })
    try #require(live.count > 100)
    #expect(live.contains { $0.contains("doubts") })
    let different = zip(live, log.lines).first { $0 != $1 }
    #expect(different == nil)
    #expect(live.count == log.lines.count, "\(live.suffix(3)) \(log.lines.suffix(3))")
    // The time between two lines is no step of the clock, also at the end.
    let steps = String(decoding: record, as: UTF8.self).matches(of: /"CLOCK","step":(-?\d+)/)
      .compactMap { Double($0.1) }
    #expect(abs(steps.reduce(0, +) / 1e6 - world.set) < 0.05)
    #expect(steps.allSatisfy { abs($0) > 1e6 } || world.set == 0, "\(steps)")
  }

  @Test func theTimesOfARecordAreThoseOfTheHost() {
    var recorder = GPSDRecorder()
    func lines(_ now: Double, _ date: Double) -> [String] {
      recorder.lines(.connection(.silent), at: now, Date(timeIntervalSince1970: date)).map {
        String(decoding: $0, as: UTF8.self)
      }
    }
    let silent = #"{"class":"CONNECTION","state":"silent"}"#
    #expect(lines(0, 1000.5) == ["1000.500000: \(silent)\n"])
    #expect(lines(1.000001, 1001.51) == ["1001.500001: \(silent)\n"])
    #expect(lines(2, 2.5) == [#"2.500000: {"class":"CLOCK","step":-1000000000}"# + "\n", "2.500000: \(silent)\n"])
  }

  @Test func theTimelineLeavesOutSettingsOfTheClock() {
    var timeline = GPSDRecordTimeline()
    for (seconds, report, position) in [
      (100, .malformed, 0), (110, .malformed, 10),
      // gpspipe's clock was set back, then ahead.
      (50, .malformed, 10), (9000, .malformed, 10), (9001, .malformed, 11),
      // This program says by how much.
      (20_002, .clockStep(10_000 * 1_000_000), 1012), (30_000, .malformed, 11_010),
      // Each step counts once, and the next one is another.
      (30_001, .malformed, 11_011), (30_012, .clockStep(10 * 1_000_000), 11_012), (30_013, .malformed, 11_013),
      // This program says when the clock was set, so no time has passed. Another run follows.
      (30_000, .malformed, 11_013), (90_000, .connection(.started(GPSDEndpoint())), 11_013),
    ] as [(Int, GPSDReport, Int)] {
      timeline.move(to: GPSDRecord.Line(time: seconds * 1_000_000, report: report))
      #expect(timeline.now / 1_000_000 == position, "\(seconds)")
    }
  }

  @Test func everyChangeOfTheConnectionIsReadAsItWasWritten() throws {
    let decoder = try #require(ReportDecoder())
    let endpoint = try GPSDEndpoint(parsing: "[::1]:2947:/dev/a")
    let changes: [GPSDConnectionChange] = [
      .started(endpoint), .continued(endpoint), .connecting, .connected, .silent, .stopped,
      .waiting(reason: "no \"gpsd\"\n", retryIn: 0.25, error: nil, isDenied: false),
      .waiting(reason: "a", retryIn: 1, error: LocationError(.denied, "may not"), isDenied: true),
    ]
    for change in changes {
      let line = GPSDRecord.line(1_000_001, GPSDRecord.json(change)).dropLast()
      let read = Array(line).withUnsafeBytes { GPSDRecord.read($0, decoder, for: .all) }
      #expect(read == GPSDRecord.Line(time: 1_000_001, report: .connection(change)))
    }
  }

  private static let lines = [
    #"1764124000.000001: {"class":"TPV","device":"/dev/a","mode":3,"lat":51.5,"lon":-0.125}"#,
    #"1764124001.000001: {"class":"TPV","device":"/dev/a","mode":3,"lat":51.6,"lon":-0.125}"#,
    #"1764124002.000001: {"class":"TPV","device":"/dev/a","mode":3,"lat":51.7,"lon":-0.125}"#,
  ]

  @Test func aRecordSaysWhichDatesWereImpossible() {
    let limit = Date(timeIntervalSince1970: 1_795_314_600)
    var recorder = GPSDRecorder()
    recorder.notBefore = limit
    let line = Array(Self.lines[0].utf8)
    let run = recorder.lines(.connection(.started(GPSDEndpoint())), at: 0, Date(timeIntervalSince1970: 1000))[0]
    let piece = line.withUnsafeBytes { GPSDRecordDecoder.header(of: GPSDEndpoint(), notBefore: limit, before: $0) }
    for (beginning, date) in [(run, limit), (piece, limit), ([], nil)] {
      let input = ReplayInput(name: "a", bytes: beginning + line + Array("\n".utf8))
      #expect(GPSDRecording([input]).notBefore == date)
    }
  }

  @Test func badLinesAreSkippedAndCounted() async throws {
    let text =
      Self.lines[0] + "\n$GPGGA\n1764124000.5: {}\n\n" + Self.lines[1] + "\n"
      + String(repeating: "x", count: 100_000) + "\n" + Self.lines[2] + "\n1764124003.000001: {\"class\":\"TPV\",\"la"
    for isStrict in [false, true] {
      let source = GPSDRecording([Self.input(text)], speed: .max, strict: isStrict)
      let log = Log(source)
      #expect(await eventually { log.hasEnded })
      #expect(source.locations == (isStrict ? 1 : 3))
      if isStrict {
        #expect(source.failure?.description.hasPrefix("record: line 2") == true)
      } else {
        #expect(source.skippedLines == ["malformed": 4] && source.failure == nil)
      }
    }
  }

  @Test func aRecordIsKnownByItsFirstLine() {
    func isRecord(_ text: String) -> Bool { GPSDRecording.isRecord(Self.input(text)) }
    #expect(isRecord(Self.lines[0] + "\n"))
    // As gpspipe 3.22 writes it.
    #expect(isRecord("2025-11-26 02:26:40 " + Self.lines[0] + "\r\n"))
    #expect(!isRecord("2025-11-26 02:26:40: {}\n"))
    for other in ["$GPRMC,1\n", "no record\n"] { #expect(!isRecord(other + Self.lines[0] + "\n")) }
    #expect(!isRecord("1764124000.000001: $GPRMC\n"))
    #expect(!isRecord(""))
  }

  @Test func aReplayMayBeSentAhead() async throws {
    let source = GPSDRecording([Self.input(Self.lines.joined(separator: "\n") + "\n")])
    let control = try #require(source.makeControl())
    #expect(await eventually { control.state.length == 2 })
    control.order { ($0.isPaused, $0.target) = (true, 1.5) }
    let log = Log(source)
    #expect(await eventually { source.clock.now == 1.5 })
    #expect(source.locations == 2)
    control.order { $0.target = 10 }
    #expect(await eventually { log.hasEnded })
    #expect(source.locations == 3)
  }

  @Test func aReplayMayBeRepeatedAndStopped() async throws {
    let text = Self.lines.joined(separator: "\n") + "\n"
    let source = GPSDRecording([Self.input(text)], speed: .max, loop: true)
    let log = Log(source)
    #expect(await eventually { source.locations > 20 })
    log.manager.stopMonitoring(for: try #require(log.manager.monitoredRegions.first))
    log.manager.stopUpdatingHeading()
    log.manager.stopUpdatingLocation()
    #expect(source.status == .idle)
  }
}
