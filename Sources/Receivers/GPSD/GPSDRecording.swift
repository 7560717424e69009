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
  public private(set) var status = LocationSourceStatus.idle

  /// The error that ended the replay early. Receivers get `failed` and then `finished`.
  public var failure: ReplayError? { thread.failure }

  /// Receives the lines for a log that the live source wrote about the reports. Called on the main actor.
  public var onLog: (@MainActor (GPSDLogLevel, String) -> Void)?

  /// How many stored bytes of the inputs were read so far. For any thread at any time.
  public nonisolated var bytesRead: Int { counter.bytesRead.load(ordering: .relaxed) }

  /// How many lines were read so far. For any thread at any time.
  public nonisolated var linesRead: Int { counter.lines.load(ordering: .relaxed) }

  /// How many stored bytes the inputs have; `nil` when they are repeated.
  public nonisolated let byteCount: Int?

  /// How many lines were skipped so far, as `malformed`. For any thread at any time.
  public nonisolated var skippedLines: [String: Int] { ["malformed": counter.malformed.load(ordering: .relaxed)] }

  /// How many locations the receivers got. For any thread at any time.
  public nonisolated var locations: Int { counter.locations.load(ordering: .relaxed) }

  fileprivate final class Counter: Sendable {
    let bytesRead = Atomic(0)
    let lines = Atomic(0)
    let malformed = Atomic(0)
    let locations = Atomic(0)
  }

  private let inputs: [ReplayInput]
  private let speed: ReplaySpeed
  private let loops: Bool
  private let isStrict: Bool
  private let counter = Counter()
  private let thread = ReplayThread<GPSDReport>()
  private var reception = GPSDReception()
  private lazy var hub = LocationSourceHub(
    start: { [weak self] in self?.start() }, stop: { [weak self] in self?.stop() })

  /// Creates a source that plays records one after the other, with `loop` for ever. With `strict` it emits nothing after
  /// the first bad line, and ends with a `failure` that names the bad lines.
  public init(_ inputs: [ReplayInput], speed: ReplaySpeed = .factor(1), loop: Bool = false, strict: Bool = false) {
    (self.inputs, self.speed, loops, isStrict) = (inputs, speed, loop, strict)
    byteCount = loop ? nil : inputs.reduce(0) { $0 + ($1.byteCount ?? 0) }
    thread.onEvent = { [weak self] in self?.receive($0) }
    thread.onEnd = { [weak self] in self?.send($0) }
  }

  /// Whether the first line of an input is a record's. Streams are not recognised, because their first line may come
  /// late.
  public nonisolated static func isRecord(_ input: ReplayInput) -> Bool { firstLine(of: input) != nil }

  /// When the first line arrived, by the clock of the host that made the record.
  public var beginning: Date? { inputs.first.flatMap { Self.firstLine(of: $0)?.time } }

  /// The date before which dates were impossible in the run; `nil` if the record does not say.
  package var notBefore: Date? { inputs.first.flatMap { Self.firstLine(of: $0)?.notBefore } }

  private nonisolated static func firstLine(of input: ReplayInput) -> (time: Date, notBefore: Date?)? {
    var head = LineBuffer(limit: GPSDRecord.longestLine)
    var first: (time: Date, notBefore: Date?)??
    if case .stream = input.content { return nil }
    try? input.readStored {
      head.append(UnsafeRawBufferPointer($0)) { line in
        first =
          first
          ?? GPSDRecord.parts(of: line).map {
            (Date(timeIntervalSince1970: Double($0.time) / 1e6), GPSDRecord.notBefore($0.json))
          }
      }
      return first == nil && head.droppedLines == 0
    }
    return first ?? nil
  }

  /// Adds a receiver; the first one starts the replay.
  public func attach(_ receiver: any LocationSourceReceiver) { hub.attach(receiver) }

  /// Removes a receiver; the last one stops the replay.
  public func detach(_ receiver: any LocationSourceReceiver) { hub.detach(receiver) }

  /// Makes a control of the replay, before its start; `nil` if an input is a stream, which does not wait.
  package func makeControl() -> ReplayControl? {
    thread.makeControl(of: inputs, speed: speed, loops: loops) { [inputs] goesOn in
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
    counter.bytesRead.store(0, ordering: .relaxed)
    counter.lines.store(0, ordering: .relaxed)
    counter.malformed.store(0, ordering: .relaxed)
    counter.locations.store(0, ordering: .relaxed)
    reception = GPSDReception()
    status = .connecting
    thread.start(speed: speed, input: inputs.first?.name ?? "") { [inputs, loops, isStrict, counter] pacer, _ in
      guard let decoder = ReportDecoder() else { return }
      var player = RecordPlayer(decoder: decoder, isStrict: isStrict, pacer: pacer, counter: counter)
      player.run(inputs, loops: loops)
    }
  }

  private func stop() {
    thread.stop()
    status = .idle
  }

  private func receive(_ report: GPSDReport) {
    let limits = GPSDReception.Limits(staleAfter: hub.staleAfter, accuracyFilter: hub.accuracyFilter)
    authorizationStatus = report.authorization ?? authorizationStatus
    let (events, messages) = reception.receive(report, at: clock.now, for: limits)
    events.forEach(send)
    for (level, text) in messages { onLog?(level, text) }
  }

  private func send(_ event: LocationSourceEvent) {
    if case .status(let status) = event { self.status = status }
    if case .location = event { counter.locations.add(1, ordering: .relaxed) }
    hub.send(event)
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
  let counter: GPSDRecording.Counter
  private var timeline = GPSDRecordTimeline()
  private var problems: [LineProblem] = []
  private var number = 0
  var hasPlayed = false

  init(decoder: ReportDecoder, isStrict: Bool, pacer: ReplayPacer<GPSDReport>, counter: GPSDRecording.Counter) {
    (self.decoder, self.isStrict, self.pacer, self.counter) = (decoder, isStrict, pacer, counter)
  }

  var countAgain: @Sendable () -> Void { { [counter] in counter.bytesRead.store(0, ordering: .relaxed) } }

  mutating func startOver() { timeline.startOver() }

  mutating func play(_ input: ReplayInput) throws(ReplayError) {
    var lines = LineBuffer(limit: GPSDRecord.longestLine)
    number = 0
    let before = counter.lines.load(ordering: .relaxed) - counter.malformed.load(ordering: .relaxed)
    do {
      try input.readStored(countRead: { counter.bytesRead.add($0, ordering: .relaxed) }) { bytes in
        lines.append(UnsafeRawBufferPointer(bytes)) { play($0) }
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
    for _ in 0..<(lines.droppedLines + (lines.isPartial ? 1 : 0)) { note("the line has no end") }
    pacer.flush()
    if !problems.isEmpty { throw ReplayError(input: input.name, reason: .badLines(problems)) }
    let good = counter.lines.load(ordering: .relaxed) - counter.malformed.load(ordering: .relaxed) - before
    guard good > 0 else {
      let problem = LineProblem(kind: .malformed, line: 1, reason: Self.noReport)
      throw ReplayError(input: input.name, reason: .badLines([problem]))
    }
  }

  private mutating func play(_ bytes: UnsafeRawBufferPointer) {
    guard !pacer.isStopped, problems.count < Self.mostProblems else { return }
    number += 1
    counter.lines.add(1, ordering: .relaxed)
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
    counter.malformed.add(1, ordering: .relaxed)
    if isStrict { problems.append(LineProblem(kind: .malformed, line: number, reason: reason)) }
  }
}
