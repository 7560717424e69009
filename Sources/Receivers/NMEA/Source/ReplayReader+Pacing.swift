import LocationKit

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension ReplayReader {
  /// Takes one event from the decoder and hands it on when its time has come.
  mutating func take(_ event: LocationSourceEvent, _ time: Double?) {
    if stop.isStopped { return }
    hasPlayed = true
    if let time {
      let waited = waitFor(time)
      if stop.isStopped { return }
      timeline.move(to: time)
      add(.event(event))
      if waited { flush() }
    } else {
      add(.event(event))
    }
  }

  /// Adds to the batch, with the clock's reading.
  mutating func add(_ content: ReplayItem.Content) {
    batch.append(ReplayItem(clock: timeline.now, content: content))
    if batch.count >= Self.batchSize { flush() }
  }

  /// Hands the batch to the main actor; waits while that is behind.
  mutating func flush() {
    guard !batch.isEmpty else { return }
    var full: [ReplayItem] = []
    full.reserveCapacity(Self.batchSize)
    swap(&full, &batch)
    mailbox.send(full)
  }

  /// Declares that this time of the recording is now: pacing goes on from here.
  mutating func anchorNow(_ time: Double?) {
    guard case .factor(let factor) = speed, let time else { return }
    origin = Self.wallTime() - timeline.position(of: time) / factor
  }

  /// In a paced replay, sleeps until this time of the recording; moves the clock meanwhile. Returns whether it slept.
  private mutating func waitFor(_ time: Double) -> Bool {
    guard case .factor(let factor) = speed else { return false }
    let position = timeline.position(of: time)
    let start = Self.wallTime()
    guard let origin else {
      self.origin = start - position / factor
      return false
    }
    let due = origin + position / factor
    guard due > start else {
      if start - due > Self.forgivenDelay { self.origin = start - position / factor }
      return false
    }
    flush()
    while true {
      let rest = due - Self.wallTime()
      guard rest > 0 else { return true }
      _ = stop.wait(for: -1, seconds: min(rest, Self.tick))
      if stop.isStopped { return true }
      if rest > Self.tick { passTime(until: min(position, (Self.wallTime() - origin) * factor)) }
    }
  }

  /// Sleeps until there is input; the clock follows the host's meanwhile, so that silence is noticed.
  mutating func awaitInput(_ descriptor: Int32) {
    let start = Self.wallTime()
    let position = timeline.now
    while !stop.isStopped, !stop.wait(for: descriptor, seconds: Self.tick) {
      passTime(until: position + Self.wallTime() - start)
    }
  }

  private mutating func passTime(until position: Double) {
    timeline.idle(until: position)
    add(.time)
    flush()
  }

  static func wallTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
