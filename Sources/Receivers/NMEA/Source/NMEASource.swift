public import LocationKit
import Platform
@_exported public import Replay  // whose types are those of the parameters
import Synchronization
public import SystemPackage

/// A location source that plays recordings of a receiver, or follows its live output on standard input.
///
/// It reads and decodes on its own thread. `clock` is the recording's: it moves to an epoch's time just before the
/// epoch is delivered, so that timers on it fire in the same places at every speed. While a live input is silent, the
/// clock follows the host's.
///
///     let inputs = try NMEASource.open(["drive.nmea"])
///     let manager = LocationManager(source: NMEASource(inputs, speed: .max))
///
/// Locations are always decoded, headings and satellites only while a listener wants them.
///
/// The last `detach` stops the source at once. Starting again plays files from their beginning.
@MainActor
public final class NMEASource: LocationSource {
  /// The recording's time. It starts at 0 and stands still while no receiver is attached.
  public var clock: any LocationClock { thread.clock }

  /// Always `authorizedAlways`, because `open` refuses unreadable inputs.
  public let authorizationStatus = AuthorizationStatus.authorizedAlways

  /// The state of the source; receivers also get it as an event.
  public var status: LocationSourceStatus { thread.status }

  /// The decoder's counts over all inputs and repetitions, complete when `finished` is delivered. Locations count when
  /// they are delivered. For any thread at any time.
  public nonisolated var statistics: NMEAStatistics {
    var statistics = counts.statistics.withLock { $0 }
    statistics.locations = thread.counter.locations.load(ordering: .relaxed)
    return statistics
  }

  /// How many lines and sentences were skipped so far, by kind: `checksum`, `malformed`, `unsupported` and
  /// `out_of_range`. For any thread at any time.
  public nonisolated var skippedLines: [String: Int] {
    let statistics = statistics
    return [
      "checksum": statistics.checksum, "malformed": statistics.malformed, "unsupported": statistics.unsupported,
      "out_of_range": statistics.outOfRange,
    ]
  }

  /// The error that ended the replay early. Receivers get `failed` and then `finished`.
  public var failure: ReplayError? { thread.failure }

  /// How many stored bytes of the inputs were read so far. For any thread at any time.
  public nonisolated var bytesRead: Int { thread.counter.bytesRead.load(ordering: .relaxed) }

  /// How many stored bytes the inputs have; `nil` for a stream, and when the inputs are repeated.
  public nonisolated let byteCount: Int?

  private final class Counts: Sendable { let statistics = Mutex(NMEAStatistics()) }

  private let isStrict: Bool
  private let thread: ReplayThread<LocationSourceEvent>
  private let counts = Counts()

  /// Creates a source that plays opened inputs one after the other, with `loop` for ever. A factor that is not above 0 means
  /// 1. With `strict` it emits nothing after the first bad line, and ends with a `failure` that names the bad lines.
  public init(_ inputs: [ReplayInput], speed: ReplaySpeed = .factor(1), loop: Bool = false, strict: Bool = false) {
    let isPossible = if case .factor(let factor) = speed { factor > 0 && factor.isFinite } else { true }
    thread = ReplayThread(inputs, speed: isPossible ? speed : .factor(1), loops: loop)
    isStrict = strict
    let counts = inputs.compactMap(\.byteCount)
    byteCount = loop || counts.count < inputs.count ? nil : counts.reduce(0, +)
    thread.onStart = { [weak self] in self?.start() }
    thread.onEvent = { [weak thread] in thread?.send($0) }
  }

  /// Checks recordings before they are played in this order: paths of any bytes, or `-` for standard input. With `loop` they
  /// must be files.
  ///
  /// - Throws: The first input that cannot be played, and the reason.
  public static func open(_ paths: [FilePath], loop: Bool = false) throws(ReplayError) -> [ReplayInput] {
    var inputs: [ReplayInput] = []
    for path in paths {
      let input = try ReplayInput.open(path: path)
      if loop, case .stream = input.content { throw ReplayError(input: input.name, reason: .notRepeatable) }
      inputs.append(input)
    }
    return inputs
  }

  /// Checks recordings at paths that are text, as the function for file paths does.
  public static func open(_ paths: [String], loop: Bool = false) throws(ReplayError) -> [ReplayInput] {
    try open(paths.map { FilePath($0) }, loop: loop)
  }

  /// Adds a receiver; the first one starts the replay.
  public func attach(_ receiver: any LocationSourceReceiver) { thread.hub.attach(receiver) }

  /// Removes a receiver; the last one stops the replay.
  public func detach(_ receiver: any LocationSourceReceiver) { thread.hub.detach(receiver) }
}

// MARK: - Running

extension NMEASource {
  /// Makes a control of the replay, before its start; `nil` if an input is a stream, which does not wait.
  package func makeControl() -> ReplayControl? {
    thread.makeControl { [inputs = thread.inputs, isStrict] goesOn in
      var timeline = RecordingTimeline()
      for input in inputs {
        var decoder = NMEADecoder(isStrict: isStrict)
        decoder.interests = .locations
        func move() {
          for event in decoder.interpreter.events { if let time = event.time { timeline.move(to: time) } }
          decoder.interpreter.removeEvents()
        }
        try input.readStored { bytes in
          decoder.scan(bytes)
          move()
          return goesOn()
        }
        decoder.finish()
        move()
      }
      return timeline.now
    }
  }

  private func start() {
    counts.statistics.withLock { $0 = NMEAStatistics() }
    let devices = thread.inputs.map(\.device)
    thread.start { [isStrict, counts, hub = thread.hub, counter = thread.counter] pacer, stop in
      var reader = ReplayReader(
        isStrict: isStrict, stop: stop, pacer: pacer, demand: { hub.demand },
        count: { total in counts.statistics.withLock { $0 = total } }, counter: counter)
      reader.pacer.add(.event(.status(.connected(devices: devices))))
      reader.pacer.flush()
      return reader
    }
  }
}
