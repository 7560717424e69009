public import FoundationEssentials
public import LocationKit
import Platform
@_exported public import Replay  // whose types are those of the parameters
import Synchronization
import SystemPackage

/// A location source that plays records of gpsd: those of `GPSDSource.onRecord`, and files of `gpspipe -w -uu`.
///
/// The lines go the way of a live source's lines, at their times on the record's clock. So the receivers get the same
/// events, at any speed. Every location says that it is simulated by software.
///
///     let recording = GPSDRecording([try ReplayInput.open(path: "gps.record")], speed: .max)
///
/// The last `detach` stops the source at once. Starting again plays the files from their beginning.
@MainActor
public final class GPSDRecording: LocationSource {
  /// The record's time. It starts at 0 and stands still while no receiver is attached.
  public var clock: any LocationClock { thread.clock }

  /// That of the recorded connection.
  public private(set) var authorizationStatus = AuthorizationStatus.notDetermined

  /// The state of the recorded connection, then `finished`; receivers also get it as an event.
  public var status: LocationSourceStatus { thread.status }

  /// The error that ended the replay early. Receivers get `failed` and then `finished`.
  public var failure: ReplayError? { thread.failure }

  /// Receives the lines for a log that the live source wrote about the reports. Called on the main actor.
  public var onLog: (@MainActor (GPSDLogLevel, String) -> Void)?

  /// How many stored bytes of the inputs were read so far. For any thread at any time.
  public nonisolated var bytesRead: Int { thread.counter.bytesRead.load(ordering: .relaxed) }

  /// How many lines were read so far. For any thread at any time.
  public nonisolated var linesRead: Int { lines.all.load(ordering: .relaxed) }

  /// How many stored bytes the inputs have; `nil` when they are repeated.
  public nonisolated let byteCount: Int?

  /// How many lines were skipped so far, as `malformed`. For any thread at any time.
  public nonisolated var skippedLines: [String: Int] { ["malformed": lines.malformed.load(ordering: .relaxed)] }

  /// How many locations the receivers got. For any thread at any time.
  public nonisolated var locations: Int { thread.counter.locations.load(ordering: .relaxed) }

  fileprivate final class LineCounter: Sendable {
    let all = Atomic(0)
    let malformed = Atomic(0)
    var good: Int { all.load(ordering: .relaxed) - malformed.load(ordering: .relaxed) }
  }

  private let isStrict: Bool
  private let lines = LineCounter()
  private let thread: ReplayThread<GPSDReport>
  private var reception = GPSDReception()

  /// Creates a source that plays records one after the other, with `loop` for ever. With `strict` it emits nothing after
  /// the first bad line, and ends with a `failure` that names the bad lines.
  public init(_ inputs: [ReplayInput], speed: ReplaySpeed = .factor(1), loop: Bool = false, strict: Bool = false) {
    thread = ReplayThread(inputs, speed: speed, loops: loop)
    isStrict = strict
    byteCount = loop ? nil : inputs.reduce(0) { $0 + ($1.byteCount ?? 0) }
    thread.onStart = { [weak self] in self?.start() }
    thread.onEvent = { [weak self] in self?.receive($0) }
  }

  /// Whether the first line of an input is a record's. Streams are not recognised, because their first line may come
  /// late.
  public nonisolated static func isRecord(_ input: ReplayInput) -> Bool { firstLine(of: input) != nil }

  /// When the first line arrived, by the clock of the host that made the record.
  public var beginning: Date? { thread.inputs.first.flatMap { Self.firstLine(of: $0)?.time } }

  /// The date before which dates were impossible in the run; `nil` if the record does not say.
  package var notBefore: Date? { thread.inputs.first.flatMap { Self.firstLine(of: $0)?.notBefore } }

  private nonisolated static func firstLine(of input: ReplayInput) -> (time: Date, notBefore: Date?)? {
    var head = LineBuffer(limit: GPSDRecord.longestLine)
    var first: (time: Date, notBefore: Date?)??
    if case .stream = input.content { return nil }
    try? input.readStored {
      head.append(UnsafeRawBufferPointer($0)) { line in
        guard first == nil else { return }
        let parts = GPSDRecord.parts(of: line)
        // Without parts it is .some(nil): the first line decides.
        first = .some(
          parts.map { (Date(timeIntervalSince1970: Double($0.time) / 1e6), GPSDRecord.notBefore($0.json)) })
      }
      return first == nil && head.droppedLines == 0
    }
    return first ?? nil
  }

  /// Adds a receiver; the first one starts the replay.
  public func attach(_ receiver: any LocationSourceReceiver) { thread.hub.attach(receiver) }

  /// Removes a receiver; the last one stops the replay.
  public func detach(_ receiver: any LocationSourceReceiver) { thread.hub.detach(receiver) }

  /// Makes a control of the replay, before its start; `nil` if an input is a stream, which does not wait.
  package func makeControl() -> ReplayControl? {
    thread.makeControl { [inputs = thread.inputs] goesOn in
      guard let decoder = ReportDecoder() else { throw Errno.noMemory }
      var timeline = GPSDRecordTimeline()
      for input in inputs {
        var lines = LineBuffer(limit: GPSDRecord.longestLine)
        try input.readStored { bytes in
          lines.append(UnsafeRawBufferPointer(bytes)) {
            if let line = GPSDRecord.read($0, decoder, for: .locations) { timeline.move(to: line) }
          }
          return goesOn()
        }
      }
      return Double(timeline.now) / 1e6
    }
  }

  private func start() {
    lines.all.store(0, ordering: .relaxed)
    lines.malformed.store(0, ordering: .relaxed)
    reception = GPSDReception()
    thread.start { [isStrict, lines, counter = thread.counter] pacer, _ in
      ReportDecoder().map {
        RecordPlayer(decoder: $0, isStrict: isStrict, pacer: pacer, counter: counter, lines: lines)
      }
    }
  }

  private func receive(_ report: GPSDReport) {
    let limits = GPSDReception.Limits(staleAfter: thread.hub.staleAfter, accuracyFilter: thread.hub.accuracyFilter)
    authorizationStatus = report.authorization ?? authorizationStatus
    let (events, messages) = reception.receive(report, at: clock.now, for: limits)
    events.forEach(thread.send)
    for (level, text) in messages { onLog?(level, text) }
  }
}

/// Reads and decodes one run of a replay on its own thread.
private struct RecordPlayer: ReplayPlayer {
  /// The most bad lines that a strict replay names.
  private static let mostProblems = 10
  private static let noReport = "not one of gpsd's reports"

  let decoder: ReportDecoder
  let isStrict: Bool
  var pacer: ReplayPacer<GPSDReport>
  let counter: ReplayCounter
  let lines: GPSDRecording.LineCounter
  var timeline = GPSDRecordTimeline()
  var problems: [LineProblem] = []
  var number = 0
  var hasPlayed = false

  mutating func startOver() { timeline.startOver() }

  mutating func play(_ input: ReplayInput) throws(ReplayError) {
    var buffer = LineBuffer(limit: GPSDRecord.longestLine)
    number = 0
    let before = lines.good
    do {
      try input.readStored(countRead: { counter.bytesRead.add($0, ordering: .relaxed) }) { bytes in
        buffer.append(UnsafeRawBufferPointer(bytes)) { play($0) }
        return !pacer.isStopped && problems.count < Self.mostProblems
      }
    } catch let error as ReplayError {
      throw error
    } catch {
      pacer.flush()
      throw ReplayError(input: input.name, reason: ReplayError.Reason(readingFailed: error))
    }
    guard !pacer.isStopped else { return }
    // The last line was cut, or a line was too long.
    for _ in 0..<(buffer.droppedLines + (buffer.isPartial ? 1 : 0)) { note("the line has no end") }
    pacer.flush()
    if !problems.isEmpty { throw ReplayError(input: input.name, reason: .badLines(problems)) }
    guard lines.good > before else {
      let problem = LineProblem(kind: .malformed, line: 1, reason: Self.noReport)
      throw ReplayError(input: input.name, reason: .badLines([problem]))
    }
  }

  private mutating func play(_ bytes: UnsafeRawBufferPointer) {
    guard !pacer.isStopped, problems.count < Self.mostProblems else { return }
    number += 1
    lines.all.add(1, ordering: .relaxed)
    // Decoding is far ahead of the receivers, whose interests may change until they get the event.
    guard let line = GPSDRecord.read(bytes, decoder, for: .all) else {
      return note("not a time and one of gpsd's reports")
    }
    timeline.move(to: line)
    guard problems.isEmpty else { return }
    switch line.report {
    case .malformed: note(Self.noReport)
    case .clockStep: break
    default:
      hasPlayed = true
      pacer.deliver(line.report.recorded, at: Double(timeline.now) / 1e6)
    }
  }

  private mutating func note(_ reason: String) {
    lines.malformed.add(1, ordering: .relaxed)
    if isStrict { problems.append(LineProblem(kind: .malformed, line: number, reason: reason)) }
  }
}
