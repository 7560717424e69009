public import LocationKit
import Platform
import Synchronization
public import SystemPackage

/// Plays recordings of a receiver, or follows its live output on standard input, as a source of locations.
///
/// Reads and decodes on a thread of its own. `clock` is the recording's: it is moved to an epoch's time just before
/// the epoch is delivered, so that timers on it fire in the same places at every speed, the fastest included. While
/// a live input is silent the clock follows the host's.
///
///     let inputs = try NMEASource.open(["drive.nmea"])
///     let manager = LocationManager(source: NMEASource(inputs, speed: .max))
///
/// Headings and satellites are decoded while somebody wants them, and locations always.
///
/// Stopping, by the last `detach`, takes effect at once. Starting again plays files from their beginning.
@MainActor
public final class NMEASource: LocationSource {
  /// How fast to play.
  public enum Speed: Sendable, Hashable {
    /// As fast as the machine can.
    case max
    /// At the recording's own pace times this factor, which must be above 0; 1 is as recorded, to within 20 ms.
    case factor(Double)
  }

  /// The recording's time. It starts at 0 and stands still while no receiver is attached.
  public var clock: any LocationClock { virtualClock }

  /// `authorizedAlways`: what may not be read is refused by `open`.
  public let authorizationStatus = AuthorizationStatus.authorizedAlways

  /// What the source is doing; receivers get it as an event, too.
  public private(set) var status = LocationSourceStatus.idle

  /// What the decoder has met so far, over all inputs and repetitions; complete when `finished` is delivered. Locations
  /// count when they are delivered. Any thread may ask at any time.
  public nonisolated var statistics: NMEAStatistics {
    var statistics = counter.statistics.withLock { $0 }
    statistics.locations = counter.delivered.load(ordering: .relaxed)
    return statistics
  }

  /// How many lines and sentences were passed over so far, by kind: `checksum`, `malformed`, `unsupported` and
  /// `out_of_range`. Any thread may ask at any time.
  public nonisolated var skippedLines: [String: Int] {
    let statistics = statistics
    return [
      "checksum": statistics.checksum, "malformed": statistics.malformed, "unsupported": statistics.unsupported,
      "out_of_range": statistics.outOfRange,
    ]
  }

  /// What ended the replay before its end. Receivers get `failed` and then `finished`.
  public private(set) var failure: NMEASourceError?

  /// How many bytes of the inputs were read so far, as they are stored. Any thread may ask at any time.
  public nonisolated var bytesRead: Int { counter.bytesRead.load(ordering: .relaxed) }

  /// How many bytes the inputs have, as they are stored; `nil` for one that is read as it comes, and when they are repeated.
  public nonisolated let byteCount: Int?

  private final class Counter: Sendable {
    let statistics = Mutex(NMEAStatistics())
    let bytesRead = Atomic(0)
    /// How many locations the receivers got. Those that wait for their time when the replay is stopped are not among them.
    let delivered = Atomic(0)
  }

  private struct Run {
    var number: Int
    var stop: Wakeup?
    var mailbox: MainActorMailbox<ReplayItem>

    func end() {
      stop?.signal()
      mailbox.close()
    }
  }

  private let inputs: [NMEAInput]
  private let speed: Speed
  private let loops: Bool
  private let isStrict: Bool
  private let virtualClock = VirtualClock()
  private var clockStart = 0.0
  private let counter = Counter()
  private var run: Run?
  private var runNumber = 0
  private var threads = ThreadSequence()
  private lazy var hub = LocationSourceHub(
    start: { [weak self] in self?.start() }, stop: { [weak self] in self?.stop() })

  /// Creates a source that plays one input after the other.
  ///
  /// - Parameters:
  ///   - inputs: Opened recordings.
  ///   - speed: How fast; a factor that is not above 0 means 1.
  ///   - loop: Whether to start over at the end, for ever.
  ///   - strict: Whether to stop at the first bad line, with a `failure` that names it.
  public init(_ inputs: [NMEAInput], speed: Speed = .factor(1), loop: Bool = false, strict: Bool = false) {
    self.inputs = inputs
    if case .factor(let factor) = speed, !(factor > 0 && factor.isFinite) {
      self.speed = .factor(1)
    } else {
      self.speed = speed
    }
    loops = loop
    isStrict = strict
    let counts = inputs.compactMap(\.byteCount)
    byteCount = loop || counts.count < inputs.count ? nil : counts.reduce(0, +)
  }

  isolated deinit {
    run?.end()
  }

  /// Looks at recordings before they are played: paths, or `-` for standard input. A path may have any bytes.
  ///
  /// - Parameters:
  ///   - paths: In the order of playing.
  ///   - loop: Whether they are to be repeated, which only files can.
  /// - Throws: The first that cannot be played, and why.
  public static func open(_ paths: [FilePath], loop: Bool = false) throws(NMEASourceError) -> [NMEAInput] {
    var inputs: [NMEAInput] = []
    for path in paths {
      let input = try NMEAInput.open(path: path)
      if loop, case .stream = input.content { throw NMEASourceError(input: input.name, reason: .notRepeatable) }
      inputs.append(input)
    }
    return inputs
  }

  /// Adds a receiver; the first one starts the replay.
  public func attach(_ receiver: any LocationSourceReceiver) {
    hub.attach(receiver)
  }

  /// Removes a receiver; the last one stops the replay.
  public func detach(_ receiver: any LocationSourceReceiver) {
    hub.detach(receiver)
  }
}

// MARK: - Running

extension NMEASource {
  private func start() {
    // A receiver that was released without detaching leaves its run behind.
    run?.end()
    runNumber += 1
    let number = runNumber
    let mailbox = MainActorMailbox<ReplayItem> { [weak self] items in self?.deliver(items, of: number) }
    var new = Run(number: number, mailbox: mailbox)
    defer { run = new }
    counter.statistics.withLock { $0 = NMEAStatistics() }
    counter.bytesRead.store(0, ordering: .relaxed)
    counter.delivered.store(0, ordering: .relaxed)
    failure = nil
    clockStart = virtualClock.now
    status = .connecting
    do throws(Errno) {
      let stop = try Wakeup()
      new.stop = stop
      let reader = ReplayReader(
        inputs: inputs, loops: loops, isStrict: isStrict, stop: stop,
        pacer: ReplayPacer(speed: speed, stop: stop, mailbox: mailbox), interests: { [hub] in hub.interests },
        count: { [counter] total in counter.statistics.withLock { $0 = total } },
        countRead: { [counter] in counter.bytesRead.add($0, ordering: .relaxed) })
      try threads.start {
        var reader = reader
        reader.run()
      }
    } catch {
      let failure = NMEASourceError(input: inputs.first?.name ?? "", reason: .readFailed(error))
      mailbox.send([ReplayItem(clock: 0, content: .failure(failure)), ReplayItem(clock: 0, content: .end)])
    }
  }

  private func stop() {
    run?.end()
    run = nil
    status = .idle
  }

  private func deliver(_ items: [ReplayItem], of number: Int) {
    for index in items.indices {
      // A receiver may detach while it is called.
      guard number == run?.number else { return }
      virtualClock.advance(to: clockStart + items[index].clock)
      guard number == run?.number else { return }
      deliver(items[index].content)
    }
  }

  private func deliver(_ content: ReplayItem.Content) {
    switch content {
    case .event(let event):
      if case .status(let status) = event { self.status = status }
      if case .location = event { counter.delivered.add(1, ordering: .relaxed) }
      hub.send(event)
    case .time: break
    case .failure(let error):
      failure = error
      let isReadFailure = if case .readFailed = error.reason { true } else { false }
      hub.send(.failed(LocationError(isReadFailure ? .network : .locationUnknown, error.description)))
    case .end:
      status = .finished
      hub.send(.status(.finished))
      hub.send(.finished)
    }
  }
}
