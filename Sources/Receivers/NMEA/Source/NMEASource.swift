public import LocationKit
import Dispatch

/// Plays recordings of a receiver, or follows its live output on standard input, as a source of locations.
///
/// Reads and decodes on a thread of its own. `clock` is the recording's: it is moved to an epoch's time just before
/// the epoch is delivered, so that timers on it fire in the same places at every speed, the fastest included. While
/// a live input is silent the clock follows the host's.
///
///     let inputs = try NMEASource.open(["drive.nmea"])
///     let manager = LocationManager(source: NMEASource(inputs, speed: .max))
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

  /// What the source is doing; it is told to receivers as an event, too.
  public private(set) var status = LocationSourceStatus.idle

  /// What the decoder met, over all inputs and repetitions; complete when `finished` is delivered.
  public private(set) var statistics = NMEAStatistics()

  /// What ended the replay before its end. `failed` and then `finished` tell receivers of it.
  public private(set) var failure: NMEASourceError?

  private struct Run {
    var stop: StopSignal
    var mailbox: MainActorMailbox<ReplayItem>
    var hasEnded: DispatchSemaphore
  }

  private let inputs: [NMEAInput]
  private let speed: Speed
  private let loops: Bool
  private let isStrict: Bool
  private let virtualClock = VirtualClock()
  private var clockStart = 0.0
  private var run: Run?
  private var runNumber = 0
  private var hub: LocationSourceHub?

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
  }

  isolated deinit {
    run?.stop.stop()
    run?.mailbox.close()
  }

  /// Opens recordings: paths, or `-` for standard input.
  ///
  /// - Parameters:
  ///   - paths: In the order of playing.
  ///   - loop: Whether they are to be repeated, which only files can.
  /// - Throws: The first that cannot be played, and why.
  public static func open(_ paths: [String], loop: Bool = false) throws(NMEASourceError) -> [NMEAInput] {
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
    if hub == nil {
      hub = LocationSourceHub(start: { [weak self] in self?.start() }, stop: { [weak self] in self?.stop() })
    }
    hub?.attach(receiver)
  }

  /// Removes a receiver; the last one stops the replay.
  public func detach(_ receiver: any LocationSourceReceiver) {
    hub?.detach(receiver)
  }
}

// MARK: - Running

extension NMEASource {
  private func start() {
    // A receiver that went without a word leaves its run behind.
    let previous = run
    previous?.stop.stop()
    previous?.mailbox.close()
    runNumber += 1
    let number = runNumber
    let stop = StopSignal()
    let hasEnded = DispatchSemaphore(value: 0)
    let mailbox = MainActorMailbox<ReplayItem> { [weak self] items in self?.deliver(items, of: number) }
    run = Run(stop: stop, mailbox: mailbox, hasEnded: hasEnded)
    statistics = NMEAStatistics()
    failure = nil
    clockStart = virtualClock.now
    status = .connecting
    let reader = ReplayReader(
      inputs: inputs, speed: speed, loops: loops, isStrict: isStrict, stop: stop, mailbox: mailbox)
    let before = previous?.hasEnded
    let isRunning = ReplayThread.start {
      // Two threads must not share a stream.
      before?.wait()
      before?.signal()
      var reader = reader
      reader.run()
      hasEnded.signal()
    }
    if !isRunning {
      hasEnded.signal()
      let error = NMEASourceError(input: inputs.first?.name ?? "", reason: .readFailed("no thread to read with"))
      mailbox.send([ReplayItem(clock: 0, content: .failure(error)), ReplayItem(clock: 0, content: .end(statistics))])
    }
  }

  private func stop() {
    run?.stop.stop()
    run?.mailbox.close()
    status = .idle
  }

  private func deliver(_ items: [ReplayItem], of number: Int) {
    for item in items {
      // A receiver may detach while it is called.
      guard number == runNumber, let run, !run.stop.isStopped else { return }
      virtualClock.advance(to: clockStart + item.clock)
      guard number == runNumber, !run.stop.isStopped else { return }
      deliver(item.content)
    }
  }

  private func deliver(_ content: ReplayItem.Content) {
    switch content {
    case .event(let event):
      if case .status(let status) = event { self.status = status }
      hub?.send(event)
    case .time: break
    case .failure(let error):
      failure = error
      hub?.send(.failed(LocationError(error.isReadFailure ? .network : .locationUnknown, error.description)))
    case .end(let statistics):
      self.statistics = statistics
      status = .finished
      hub?.send(.status(.finished))
      hub?.send(.finished)
    }
  }
}
