import FoundationEssentials
import LocationKit
import Platform
import Records

/// The lines of a record of gpsd: `SECONDS.MICROSECONDS: ` and a JSON object, as `gpspipe -w -uu` writes them.
///
/// The time is that of the host's clock. Two classes are this program's own: `CONNECTION` tells what happened to the
/// connection, and `CLOCK` that the host's clock was set since the line before, and by how much.
enum GPSDRecord {
  /// A line's time in microseconds since 1970, and its report.
  struct Line: Equatable {
    var time: Int
    var report: GPSDReport
  }

  /// The longest line: gpsd's, and the time before it.
  static let longestLine = LineBuffer.limit + 32
  private static let connection = Array(#"{"class":"CONNECTION","#.utf8)
  private static let clock = Array(#"{"class":"CLOCK","#.utf8)

  /// The time of a line and its JSON; `nil` if it is not a line of a record. Some versions of gpspipe write the date and a
  /// blank before the time.
  static func parts(of line: UnsafeRawBufferPointer) -> (time: Int, json: UnsafeRawBufferPointer)? {
    guard let brace = line.prefix(80).firstIndex(of: UInt8(ascii: "{")),
      line[..<brace].suffix(2).elementsEqual(": ".utf8)
    else { return nil }
    let before = line[..<(brace - 2)]
    let text = before[(before.lastIndex(of: UInt8(ascii: " ")).map { $0 + 1 } ?? before.startIndex)...]
    guard (8...18).contains(text.count), text[text.endIndex - 7] == UInt8(ascii: ".") else { return nil }
    var time = 0
    for (index, byte) in zip(text.indices, text) where index != text.endIndex - 7 {
      guard (0x30...0x39).contains(byte) else { return nil }
      time = time * 10 + Int(byte - 0x30)
    }
    return (time, UnsafeRawBufferPointer(rebasing: line[brace...]))
  }

  static func read(
    _ line: UnsafeRawBufferPointer, _ decoder: ReportDecoder, for interests: LocationSourceInterests
  ) -> Line? {
    guard let (time, json) = parts(of: line) else { return nil }
    if json.starts(with: connection) {
      return Line(time: time, report: change(json).map { .connection($0) } ?? .malformed)
    }
    if json.starts(with: clock) { return Line(time: time, report: step(json).map { .clockStep($0) } ?? .malformed) }
    return Line(time: time, report: decoder.decode(json, for: interests))
  }

  private static func step(_ json: UnsafeRawBufferPointer) -> Int? {
    guard let step = object(json)?["step"].number, step.magnitude < 1e15 else { return nil }
    return Int(exactly: step)
  }

  private static func change(_ json: UnsafeRawBufferPointer) -> GPSDConnectionChange? {
    guard let object = object(json) else { return nil }
    func endpoint() -> GPSDEndpoint? { object["server"].string.flatMap { try? GPSDEndpoint(parsing: $0) } }
    switch object["state"].string {
    case "started": return endpoint().map { .started($0) }
    case "continued": return endpoint().map { .continued($0) }
    case "connecting": return .connecting
    case "connected": return .connected
    case "waiting":
      let code = object["code"].string.flatMap { LocationError.Code(rawValue: $0) }
      let error = code.flatMap { code in object["error"].string.map { LocationError(code, $0) } }
      return .waiting(
        reason: object["reason"].string ?? "", retryIn: object["retryIn"].number ?? 0, error: error,
        isDenied: object["denied"].isTrue)
    case "silent": return .silent
    case "stopped": return .stopped
    default: return nil
    }
  }

  /// The date before which dates were impossible in the run that a line begins or continues.
  static func notBefore(_ json: UnsafeRawBufferPointer) -> Date? {
    json.starts(with: connection) ? object(json)?["notBefore"].string.flatMap { Date(timestamp: $0) } : nil
  }

  private static func object(_ json: UnsafeRawBufferPointer) -> JSONValue? {
    json.withMemoryRebound(to: UInt8.self) { try? JSONValue(object: $0) }
  }

  // MARK: Writing

  /// The JSON of a change of the connection. Earlier dates than `notBefore` are impossible in the run.
  static func json(_ change: GPSDConnectionChange, notBefore: Date? = nil) -> [UInt8] {
    RecordBuffer.bytes { buffer in
      buffer.appendObject {
        $0.appendMember("class", "CONNECTION")
        switch change {
        case .started(let endpoint), .continued(let endpoint):
          $0.appendMember("state", change == .started(endpoint) ? "started" : "continued")
          $0.appendMember("server", endpoint.description)
          $0.appendMember("notBefore", notBefore)
        case .connecting: $0.appendMember("state", "connecting")
        case .connected: $0.appendMember("state", "connected")
        case .waiting(let reason, let delay, let error, let isDenied):
          $0.appendMember("state", "waiting")
          $0.appendMember("reason", reason)
          $0.appendKey("retryIn")
          // With all digits, so that it is read as it was.
          $0.append(text: "\(delay)")
          $0.appendMember("code", error?.code.rawValue)
          $0.appendMember("error", error?.message)
          if isDenied { $0.appendMember("denied", true) }
        case .silent: $0.appendMember("state", "silent")
        case .stopped: $0.appendMember("state", "stopped")
        }
      }
    }
  }

  static func line(_ time: Int, _ json: some Collection<UInt8>) -> [UInt8] {
    let fraction = String(time % 1_000_000)
    let zeros = String(repeating: "0", count: 6 - fraction.utf8.count)
    return Array("\(time / 1_000_000).\(zeros)\(fraction): ".utf8) + json + [UInt8(ascii: "\n")]
  }
}

/// Makes the lines of a record. Their times are those of the source's clock, moved to the time of day, so that their
/// differences are exact. When the host's clock was set, a line says by how much.
struct GPSDRecorder {
  /// Microseconds. A smaller difference is the time between reading two clocks.
  private static let leastStep = 50_000
  /// Earlier dates are impossible.
  var notBefore: Date?
  /// The time of day at which the source's clock was at 0, in microseconds.
  private var origin: Int?

  /// The lines for a report that came at `now` on the source's clock, when the time of day was `date`.
  mutating func lines(_ report: GPSDReport, at now: Double, _ date: Date) -> [[UInt8]] {
    let json: [UInt8]
    switch report {
    case .line(let line): json = line
    case .connection(let change): json = GPSDRecord.json(change, notBefore: notBefore)
    default: return []
    }
    let elapsed = Int((now * 1e6).rounded())
    let beginning = max(0, Int((date.timeIntervalSince1970 * 1e6).rounded())) - elapsed
    let step = origin.map { beginning - $0 } ?? 0
    let isSet = abs(step) >= Self.leastStep
    let start = isSet ? beginning : origin ?? beginning
    origin = start
    let clock = isSet ? [GPSDRecord.line(start + elapsed, "{\"class\":\"CLOCK\",\"step\":\(step)}".utf8)] : []
    return clock + [GPSDRecord.line(start + elapsed, json)]
  }
}

/// Turns the times of a record into the microseconds of its replay, which never go back.
struct GPSDRecordTimeline {
  /// A longer step ahead in a record without lines of its own clock is the setting of that clock.
  private static let longestGap = 3600 * 1_000_000
  /// Microseconds since the first line.
  private(set) var now = 0
  private var last: Int?
  private var step = 0
  /// Whether the record says when its clock was set.
  private var knowsSteps = false

  mutating func move(to line: GPSDRecord.Line) {
    var isStart = false
    switch line.report {
    case .clockStep(let microseconds): (step, knowsSteps) = (microseconds, true)
    case .connection(.started): (isStart, knowsSteps) = (true, true)
    case .connection: knowsSteps = true
    default: break
    }
    defer { (last, step) = (line.time, 0) }
    guard let last, !isStart else { return }
    let gap = line.time - last - step
    // No time has passed between two runs, or when a clock went back that gpspipe wrote.
    if gap > 0 && (knowsSteps || gap <= Self.longestGap) { now = min(now + gap, 1 << 60) }
  }

  /// Begins the record again, a second later.
  mutating func startOver() {
    last = nil
    now += 1_000_000
  }
}
