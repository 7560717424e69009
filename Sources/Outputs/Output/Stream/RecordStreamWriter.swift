import Dispatch
import Synchronization

/// The writing thread's side of a stream.
final class RecordStreamWriter {
  /// A piece that is large enough to be written without waiting for more.
  private static let goodSize = 64 << 10
  private static let retryInterval: UInt64 = 1_000_000_000

  private let destination: any RecordDestination
  /// What is being written, from `position` on.
  private var bytes: [UInt8] = []
  private var lengths: [Int] = []
  private var firstLength = 0
  private var head = 0
  private var position = 0
  private var scratch = RecordBuffer(capacity: 128)

  init(destination: any RecordDestination) {
    self.destination = destination
  }

  func run(_ stream: RecordStream) {
    while true {
      switch next(stream) {
      case .records:
        if let end = writeAll(stream) { return close(stream, end) }
      case .reopen:
        reopen(stream)
      case .finish:
        return close(stream, .finished)
      case .cancel:
        return close(stream, .cancelled)
      }
    }
  }

  private enum Task { case records, reopen, finish, cancel }

  /// Sleeps until there is something to do, and takes it.
  private func next(_ stream: RecordStream) -> Task {
    while true {
      let now = DispatchTime.now().uptimeNanoseconds
      let (task, blocked) = stream.state.withLock { state -> (Task?, Int) in
        if state.isCancelled { return (.cancel, 0) }
        let count = state.waiting.count - state.head
        let isUrgent = state.isFinishing || state.wantsReopen || state.blocked > 0
        if count > 0 && (count >= Self.goodSize || isUrgent || now >= state.gatheringEnds) {
          take(&state, of: stream)
          return (.records, state.takeBlocked())
        }
        if count == 0 && state.wantsReopen {
          state.wantsReopen = false
          return (.reopen, 0)
        }
        if count == 0 && state.isFinishing { return (.finish, 0) }
        state.wakesAt = count == 0 ? 1 : Self.goodSize
        return (nil, 0)
      }
      stream.release(blocked)
      if let task { return task }
      sleep(stream, until: stream.state.withLock { $0.wakesAt == Self.goodSize ? $0.gatheringEnds : nil })
    }
  }

  /// Takes everything that waits and leaves the empty arrays of the last time in its place.
  private func take(_ state: inout RecordStream.State, of stream: RecordStream) {
    bytes.removeAll(keepingCapacity: true)
    lengths.removeAll(keepingCapacity: true)
    swap(&bytes, &state.waiting)
    swap(&lengths, &state.lengths)
    head = state.head
    firstLength = state.firstLength
    position = head
    state.head = 0
    state.firstLength = 0
    if state.untold > 0 {
      scratch.removeAll()
      stream.describeDropped(state.untold, &scratch)
      scratch.withUnsafeBytes { bytes.insert(contentsOf: $0, at: head) }
      if !scratch.isEmpty { lengths.insert(scratch.count, at: firstLength) }
    }
    state.untold = 0
  }

  /// Sleeps until woken, or until a time of the monotonic clock.
  private func sleep(_ stream: RecordStream, until deadline: UInt64?) {
    guard let deadline else { return stream.wake.wait() }
    guard stream.wake.wait(timeout: DispatchTime(uptimeNanoseconds: deadline)) == .timedOut else {
      return
    }
    // Somebody may have decided to wake this thread just now; then that signal is on its way and must be taken.
    let isSignalled = stream.state.withLock { state in
      defer { state.wakesAt = nil }
      return state.wakesAt == nil
    }
    if isSignalled { stream.wake.wait() }
  }

  /// Writes what was taken; returns why the stream ends, if it does.
  private func writeAll(_ stream: RecordStream) -> RecordStream.End? {
    while position < bytes.count {
      let outcome = bytes.withUnsafeBytes {
        destination.write(UnsafeRawBufferPointer(rebasing: $0[position...]))
      }
      stream.state.withLock { $0.lastWrite = DispatchTime.now().uptimeNanoseconds }
      switch outcome {
      case .wrote(let count):
        position += count
        if wrote(count, stream) && position < bytes.count { return .cancelled }
      case .busy:
        destination.waitUntilWritable(milliseconds: 50)
        if stream.state.withLock({ $0.isCancelled }) { return .cancelled }
        reopenIfWanted(stream)
      case .ended:
        return .readerGone
      case .failed(let code):
        if let end = failed(code, stream) { return end }
      }
    }
    return nil
  }

  /// Counts what was written, tells a recovery, and returns whether the rest is given up.
  private func wrote(_ count: Int, _ stream: RecordStream) -> Bool {
    let (hasRecovered, dropped, isCancelled) = stream.state.withLock { state -> (Bool, Int, Bool) in
      state.statistics.bytes += count
      defer { if count > 0 { state.statistics.isFailing = false } }
      return (count > 0 && state.statistics.isFailing, state.statistics.dropped, state.isCancelled)
    }
    if hasRecovered {
      let lost = dropped == 0 ? "nothing was lost" : "\(dropped) records were lost so far"
      stream.onNotice(OutputNotice(.notice, "\(destination.name) can be written again; \(lost)"))
    }
    return isCancelled
  }

  /// Tells a failure once, waits and returns, or says that the stream ends.
  private func failed(_ code: Int32, _ stream: RecordStream) -> RecordStream.End? {
    let (isNew, blocked) = stream.state.withLock { state -> (Bool, Int) in
      let isNew = !state.statistics.isFailing
      if isNew { state.statistics.failures += 1 }
      state.statistics.isFailing = true
      return (isNew, state.takeBlocked())
    }
    stream.release(blocked)
    if isNew {
      let next = stream.onFailure == .retry ? "; trying again every second" : ""
      stream.onNotice(
        OutputNotice(
          .error, "\(destination.name) cannot be written: \(describe(errno: code))\(next)"))
    }
    let (mustEnd, maySleep) = stream.state.withLock { state -> (Bool, Bool) in
      let mustEnd = stream.onFailure == .end || state.isCancelled || state.isFinishing
      let maySleep = !mustEnd && !state.wantsReopen
      // As if idle, but no record ends this sleep, only an urgent request.
      if maySleep { state.wakesAt = Int.max }
      return (mustEnd, maySleep)
    }
    if mustEnd { return .failed(code) }
    if maySleep { sleep(stream, until: DispatchTime.now().uptimeNanoseconds + Self.retryInterval) }
    reopenIfWanted(stream)
    return nil
  }

  private func reopenIfWanted(_ stream: RecordStream) {
    let isWanted = stream.state.withLock { state in
      defer { state.wantsReopen = false }
      return state.wantsReopen
    }
    if isWanted { reopen(stream) }
  }

  private func reopen(_ stream: RecordStream) {
    guard let error = destination.reopen() else { return }
    stream.onNotice(OutputNotice(.error, error.message))
  }

  private func close(_ stream: RecordStream, _ end: RecordStream.End) {
    let unwritten = unwrittenRecords()
    stream.state.withLock { $0.statistics.dropped += unwritten }
    let failure = destination.close()
    if let failure, end == .finished {
      stream.onNotice(
        OutputNotice(.error, "\(destination.name) cannot be completed: \(describe(errno: failure))")
      )
      return stream.end(.failed(failure))
    }
    stream.end(end)
  }

  /// How many of the records that were taken the destination did not take to their end.
  private func unwrittenRecords() -> Int {
    var end = head
    var written = firstLength
    while written < lengths.count {
      end += lengths[written]
      if end > position { break }
      written += 1
    }
    return position < bytes.count ? lengths.count - written : 0
  }
}
