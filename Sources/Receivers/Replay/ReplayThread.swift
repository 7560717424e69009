import Dispatch
import LocationKit
import Platform
import SystemPackage

/// The thread that plays a recording, and the clock that its items move. A new start ends the run before.
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
  private var run: Run?
  private var runNumber = 0
  private var threads = ThreadSequence()
  /// Takes the events of the current run, each after the clock has moved to its time.
  package var onEvent: (@MainActor (Event) -> Void)?
  /// Takes the events that tell of a failure and of the end.
  package var onEnd: (@MainActor (LocationSourceEvent) -> Void)?
  private var control: ReplayControl?
  /// The error that ended the current run early.
  package private(set) var failure: ReplayError?

  package init() {}

  isolated deinit { run?.end() }

  /// Calls `play` on a new thread. If the system has none, `input` cannot be played, which is the run's only item before
  /// its end.
  package func start(
    speed: ReplaySpeed, input: String, _ play: @escaping @Sendable (ReplayPacer<Event>, Wakeup) -> Void
  ) {
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
      try threads.start { play(pacer, stop) }
    } catch {
      let failure = ReplayError(input: input, reason: .readFailed(error))
      mailbox.send([ReplayItem(clock: 0, content: .failure(failure)), ReplayItem(clock: 0, content: .end)])
    }
  }

  /// Makes a control for later runs; `nil` if an input is a stream, which does not wait. Unless the inputs are repeated,
  /// another thread finds the length of their replay in seconds by `measure`, which ends early if `goesOn` returns false.
  package func makeControl(
    of inputs: [ReplayInput], speed: ReplaySpeed, loops: Bool,
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

  package func stop() {
    run?.end()
    run = nil
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
        onEnd?(.failed(LocationError(isReadFailure ? .network : .locationUnknown, error.description)))
      case .end:
        onEnd?(.status(.finished))
        onEnd?(.finished)
      }
    }
  }
}

/// Plays the inputs of a replay on its thread.
package protocol ReplayPlayer {
  associatedtype Event: Sendable
  var pacer: ReplayPacer<Event> { get set }
  /// Whether this turn has had an event.
  var hasPlayed: Bool { get set }
  /// Is called when the replay was sent back, and counts its bytes again.
  var countAgain: @Sendable () -> Void { get }

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
        if isSentBack { countAgain() }
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
  ///
  /// - Throws: The system's error if it cannot create a thread.
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
