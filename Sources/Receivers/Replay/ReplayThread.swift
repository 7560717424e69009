import Dispatch
import LocationKit
import Platform
import Synchronization
import SystemPackage

/// Counts of the current run. Any thread.
package final class ReplayCounter: Sendable {
  /// The stored bytes of the inputs that were read.
  package let bytesRead = Atomic(0)
  /// The locations that the receivers got. Those still waiting for their time when the replay stops do not count.
  package let locations = Atomic(0)
}

/// What the sources of recordings share: the receivers, the thread that plays for them, and the clock that its items move.
/// A new start ends the run before.
@MainActor
package final class ReplayThread<Event: Sendable> {
  private struct Run {
    var number: Int
    var stop: Wakeup?
    var mailbox: MainActorMailbox<ReplayItem<Event>>

    func end() {
      stop?.signal()
      mailbox.close()
    }
  }

  /// The recording's time. It starts at 0 and stands still between runs.
  package let clock = VirtualClock()
  private var clockStart = 0.0
  package nonisolated let inputs: [ReplayInput]
  package nonisolated let counter = ReplayCounter()
  package private(set) var status = LocationSourceStatus.idle
  package private(set) lazy var hub = LocationSourceHub(
    start: { [weak self] in self?.onStart?() }, stop: { [weak self] in self?.stop() })
  private let speed: ReplaySpeed
  private let loops: Bool
  private var run: Run?
  private var runNumber = 0
  private var threads = ThreadSequence()
  /// Called for the first receiver; it calls `start`.
  package var onStart: (@MainActor () -> Void)?
  /// Takes the events of the current run, each after the clock has moved to its time.
  package var onEvent: (@MainActor (Event) -> Void)?
  private var control: ReplayControl?
  /// The error that ended the current run early.
  package private(set) var failure: ReplayError?

  package init(_ inputs: [ReplayInput], speed: ReplaySpeed, loops: Bool) {
    (self.inputs, self.speed, self.loops) = (inputs, speed, loops)
  }

  isolated deinit { run?.end() }

  /// Makes a player on a new thread, which plays the inputs. If the system has no thread, that is the run's only item before
  /// its end.
  package func start<Player: ReplayPlayer>(
    _ makePlayer: @escaping @Sendable (ReplayPacer<Event>, Wakeup) -> Player?
  ) where Player.Event == Event {
    counter.bytesRead.store(0, ordering: .relaxed)
    counter.locations.store(0, ordering: .relaxed)
    status = .connecting
    // A receiver that was released without detaching leaves its run behind.
    run?.end()
    failure = nil
    runNumber += 1
    let number = runNumber
    let mailbox = MainActorMailbox<ReplayItem<Event>> { [weak self] items in self?.deliver(items, of: number) }
    var new = Run(number: number, mailbox: mailbox)
    defer { run = new }
    clockStart = clock.now
    do throws(Errno) {
      let stop = try Wakeup()
      new.stop = stop
      let pacer = ReplayPacer(speed: speed, control: control, stop: stop, mailbox: mailbox)
      try threads.start { [inputs, loops] in
        var player = makePlayer(pacer, stop)
        player?.run(inputs, loops: loops)
      }
    } catch {
      let failure = ReplayError(input: inputs.first?.name ?? "", reason: .readFailed(error))
      mailbox.send([ReplayItem(clock: 0, content: .failure(failure)), ReplayItem(clock: 0, content: .end)])
    }
  }

  /// Makes a control for later runs; `nil` if an input is a stream, which does not wait. Unless the inputs are repeated,
  /// another thread finds the length of their replay in seconds by `measure`, which ends early if `goesOn` returns false.
  package func makeControl(
    measure: @escaping @Sendable (_ goesOn: () -> Bool) throws -> Double
  ) -> ReplayControl? {
    guard inputs.allSatisfy(\.isRecording) else { return nil }
    let control = ReplayControl(factor: speed.factor)
    self.control = control
    guard !loops else { return control }
    try? Thread.start { [weak control] in
      if let length = try? measure({ control != nil }) { control?.report(length: length) }
    }
    return control
  }

  private func stop() {
    run?.end()
    (run, status) = (nil, .idle)
  }

  package func send(_ event: LocationSourceEvent) {
    if case .status(let status) = event { self.status = status }
    if case .location = event { counter.locations.add(1, ordering: .relaxed) }
    hub.send(event)
  }

  private func deliver(_ items: [ReplayItem<Event>], of number: Int) {
    for index in items.indices {
      // A receiver may detach while it is called.
      guard number == run?.number else { return }
      clock.advance(to: clockStart + items[index].clock)
      guard number == run?.number else { return }
      switch items[index].content {
      case .event(let event): onEvent?(event)
      case .time: break
      case .failure(let error):
        failure = error
        let isReadFailure = if case .readFailed = error.reason { true } else { false }
        send(.failed(LocationError(isReadFailure ? .network : .locationUnknown, error.description)))
      case .end:
        send(.status(.finished))
        send(.finished)
      }
    }
  }
}

/// Plays the inputs of a replay on its thread.
package protocol ReplayPlayer: SendableMetatype {
  associatedtype Event: Sendable
  var pacer: ReplayPacer<Event> { get set }
  /// Whether this turn has had an event.
  var hasPlayed: Bool { get set }
  var counter: ReplayCounter { get }

  mutating func play(_ input: ReplayInput) throws(ReplayError)
  /// Moves on to another turn.
  mutating func startOver()
}

extension ReplayPlayer {
  /// Plays all inputs, again if the replay is sent back, then reports the end. Returns early when stopped.
  package mutating func run(_ inputs: [ReplayInput], loops: Bool) {
    do throws(ReplayError) {
      var goesOn = true
      while goesOn {
        hasPlayed = false
        for input in inputs where !pacer.isStopped { try play(input) }
        let isSentBack = pacer.takeReturn()
        if isSentBack { counter.bytesRead.store(0, ordering: .relaxed) }
        if loops || isSentBack { startOver() }
        // Inputs without an event would be repeated without a pause.
        goesOn = (isSentBack || loops && hasPlayed) && !pacer.isStopped
      }
    } catch {
      pacer.add(.failure(error))
    }
    pacer.add(.end)
    pacer.flush()
  }
}

/// Starts threads that run one after the other, because two of them must not share a stream.
struct ThreadSequence {
  /// Signalled when the last thread has ended.
  private var hasEnded: DispatchSemaphore?

  /// Runs `body` on a new thread after the previous thread has ended. The caller does not wait.
  mutating func start(_ body: @escaping @Sendable () -> Void) throws(Errno) {
    let before = hasEnded
    let ended = DispatchSemaphore(value: 0)
    try Thread.start {
      before?.wait()
      body()
      ended.signal()
    }
    hasEnded = ended
  }
}
