import LocationKit
import Platform

/// How fast to play.
public enum ReplaySpeed: Sendable, Hashable {
  /// As fast as possible.
  case max
  /// The recording's own pace times this factor, which must be above 0; 1 is as recorded, to within 20 ms.
  case factor(Double)

  var factor: Double? { if case .factor(let factor) = self { factor } else { nil } }
}

/// An item that the reading thread hands to the main actor.
package struct ReplayItem<Event: Sendable>: Sendable {
  package enum Content: Sendable {
    case event(Event)
    case time
    case failure(ReplayError)
    case end
  }

  /// Seconds since the replay's start, to which the clock moves first.
  package var clock: Double
  package var content: Content
}

/// Hands the events of a replay to the main actor in batches, each event at its time.
package struct ReplayPacer<Event: Sendable>: Sendable {
  private enum Phase {
    case playing
    /// The inputs have to be played again.
    case sentBack
    /// After that, the first event is still to come.
    case beginning
    case ended
  }

  /// The most items in one batch: enough to make handing over cheap, few enough for the heap to serve without asking
  /// the kernel.
  private static var batchSize: Int { 256 }
  /// Seconds between two movements of the clock while there are no events.
  private static var tick: Double { 0.1 }
  /// Seconds of delay after which a paced replay goes on from there instead of catching up.
  private static var forgivenDelay: Double { 5 }

  /// Seconds between two reports of the position.
  private static var reportPause: Double { 0.2 }

  /// Seconds of the recording per second of the host's clock; `nil` for as fast as possible.
  private var factor: Double?
  /// The position that the replay goes to as fast as possible.
  private var target: Double?
  /// The time of the timeline at which the replay began, or began again after it was sent back.
  private var start = 0.0
  private var phase = Phase.playing
  private let control: ReplayControl?
  private let stop: Wakeup
  private let mailbox: MainActorMailbox<ReplayItem<Event>>
  private let now: @Sendable () -> Double

  private var timeline = RecordingTimeline()
  private var batch: [ReplayItem<Event>] = []
  /// The time on the host's clock at which the replay's time 0 was or would have been.
  private var origin: Double?
  /// The time on the host's clock at which the last event with a time was handed on.
  private var lastTimed: Double
  private var hasTime = false
  /// The time on the host's clock of the last report to the control.
  private var lastReport = -Double.infinity

  /// Whether the player has to stop, for good or to begin again.
  package var isStopped: Bool { phase == .ended || phase == .sentBack }

  /// Seconds since the recording's beginning.
  private var position: Double { phase == .beginning ? 0 : timeline.now - start }

  package var isPaced: Bool { factor != nil && target == nil }

  init(
    speed: ReplaySpeed, control: ReplayControl? = nil, stop: Wakeup,
    mailbox: MainActorMailbox<ReplayItem<Event>>, now: @escaping @Sendable () -> Double = monotonicSeconds
  ) {
    factor = speed.factor
    self.control = control
    self.stop = stop
    self.mailbox = mailbox
    self.now = now
    lastTimed = now()
    batch.reserveCapacity(Self.batchSize)
  }

  /// Hands an event on at a position of the replay, in seconds.
  package mutating func deliver(_ event: Event, at position: Double) {
    guard !isStopped else { return }
    let hasWaited = wait(until: position)
    if isStopped { return }
    timeline.idle(until: position)
    add(.event(event))
    if hasWaited { flush() }
  }

  /// Hands an event on at a time of the recording; one without a time belongs to the one before it. The time of a live
  /// event, which has just come from a receiver, is now, whatever the receiver's clock says.
  package mutating func deliver(_ event: Event, atTime time: Double?, isLive: Bool = false) {
    guard !isStopped else { return }
    guard let time else { return add(.event(event)) }
    hasTime = true
    guard factor != nil || target != nil else {
      timeline.move(to: time)
      begin(at: timeline.now)
      return add(.event(event))
    }
    var hasWaited = false
    if isLive, let factor {
      timeline.move(to: time, longestStep: now() - lastTimed)
      origin = now() - timeline.now / factor
    } else {
      hasWaited = wait(until: timeline.position(of: time))
      if isStopped { return }
      timeline.move(to: time)
    }
    lastTimed = now()
    add(.event(event))
    if hasWaited { flush() }
  }

  package mutating func add(_ content: ReplayItem<Event>.Content) {
    batch.append(ReplayItem<Event>(clock: timeline.now, content: content))
    if batch.count >= Self.batchSize { flush() }
  }

  /// Hands the batch to the main actor, and waits while the main actor is behind.
  package mutating func flush() {
    // A paced replay asks for orders before each event.
    if !isPaced { obey() }
    handOver()
  }

  private mutating func handOver() {
    if control != nil, now() - lastReport >= Self.reportPause { report() }
    guard !batch.isEmpty else { return }
    var full: [ReplayItem<Event>] = []
    full.reserveCapacity(Self.batchSize)
    swap(&full, &batch)
    // A paced replay has small batches, which must be on time.
    if !(isPaced ? mailbox.deliver(full) : mailbox.send(full)) { phase = .ended }
  }

  /// Hands on the batch and sleeps until the descriptor has input. Meanwhile the clock follows the host's, so that
  /// silence is noticed.
  package mutating func awaitInput(_ descriptor: Int32) {
    flush()
    let start = now()
    let position = timeline.now
    while !isStopped {
      switch stop.wait(for: descriptor, seconds: Self.tick) {
      case .ready: return
      case .signalled: phase = .ended
      case .timedOut: passTime(until: position + now() - start)
      }
    }
  }

  /// Returns whether the replay was sent back; then its inputs are played again.
  package mutating func takeReturn() -> Bool {
    guard phase == .sentBack else { return false }
    phase = .beginning
    control?.reportReturn()
    return true
  }

  /// Begins the recording again. A turn without any time lasts a second, so that it does not spin.
  package mutating func startOver() {
    timeline.startOver()
    if !hasTime {
      let end = timeline.now + RecordingTimeline.defaultStep
      _ = wait(until: end)
      passTime(until: end)
    }
    hasTime = false
  }

  /// Sleeps until a time of the timeline while the clock moves. Returns whether it slept.
  private mutating func wait(until end: Double) -> Bool {
    begin(at: end)
    var hasWaited = false
    while !isStopped {
      if factor != nil { obey() }
      if isStopped { break }
      if let target, end - start > target {
        arrive(at: target)
        continue
      }
      guard target == nil, let factor else { break }
      let time = now()
      guard let origin else {
        self.origin = time - end / factor
        break
      }
      let rest = origin + end / factor - time
      guard rest > 0 else {
        if rest < -Self.forgivenDelay { self.origin = time - end / factor }
        break
      }
      guard hasWaited else {
        handOver()
        hasWaited = true
        continue
      }
      if stop.wait(seconds: min(rest, Self.tick)) == .signalled { phase = .ended }
      if rest > Self.tick { passTime(until: min(end, (now() - origin) * factor)) }
    }
    return hasWaited
  }

  private mutating func begin(at time: Double) {
    if phase == .beginning { (start, phase) = (time, .playing) }
  }

  private mutating func passTime(until end: Double) {
    timeline.idle(until: end)
    add(.time)
    handOver()
  }

  // MARK: Orders of the control

  /// Takes new orders, and sleeps while the replay is paused.
  private mutating func obey() {
    guard let control, var orders = control.takeOrders() else { return }
    if orders.isPaused {
      handOver()
      report()
    }
    while orders.isPaused, orders.target == nil, !isStopped {
      if stop.wait(seconds: Self.tick) == .signalled { phase = .ended }
      if let new = control.takeOrders() { orders = new }
    }
    (factor, target) = (orders.factor, orders.target)
    if let target, target < position, phase != .ended { phase = .sentBack }
    origin = factor.map { now() - timeline.now / $0 }
  }

  /// Goes on from the target as before.
  private mutating func arrive(at target: Double) {
    self.target = nil
    passTime(until: start + target)
    lastReport = now()
    control?.reportArrival(at: target)
    obey()
  }

  private mutating func report() {
    lastReport = now()
    control?.report(position: position)
  }
}
