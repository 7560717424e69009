import Dispatch
import Foundation
import Rx
import Synchronization

extension BlockingObservable {
  /// Subscribes, and waits for the end or for `count` elements.
  func wait(for count: Int = .max) -> MaterializedSequenceResult<Element> {
    let received = Received<Element>()
    let failure = CurrentThreadScheduler.separately {
      let subscription = source.take(count).subscribe { received.append($0) }
      defer { subscription.dispose() }
      return received.wait(until: timeout.map { Date(timeIntervalSinceNow: $0) })
    }
    return received.result(failure)
  }
}

/// The events of a sequence that a blocking call waits for.
private final class Received<Element: Sendable>: Sendable {
  private struct State {
    var elements: [Element] = []
    var end: Event<Never>?
  }

  private let state = Locked(State())
  private let ended = DispatchSemaphore(value: 0)

  func append(_ event: Event<Element>) {
    switch event {
    case .next(let element): state.withLock { $0.elements.append(element) }
    case .error(let error): end(.error(error))
    case .completed: end(.completed)
    }
  }

  /// The elements so far and the end; `failure` stands for a missing end.
  func result(_ failure: (any Error)?) -> MaterializedSequenceResult<Element> {
    state.withLock { state in
      if case .completed = state.end { return .completed(elements: state.elements) }
      return .failed(elements: state.elements, error: state.end?.error ?? failure ?? RxError.unknown)
    }
  }

  /// Waits for the end. Returns why it was not waited for any longer.
  func wait(until deadline: Date?) -> (any Error)? {
    if isEnded { return nil }
    if MainQueue.isCurrent { return serveMainQueue(until: deadline) }
    guard let deadline else {
      ended.wait()
      return nil
    }
    let seconds = min(max(deadline.timeIntervalSinceNow, 0), 1e9)
    return ended.wait(timeout: .now() + seconds) == .success ? nil : RxError.timeout
  }

  private var isEnded: Bool { state.withLock { $0.end != nil } }

  private func end(_ end: Event<Never>) {
    state.withLock { $0.end = end }
    ended.signal()
    // Wakes a run loop that sleeps.
    DispatchQueue.main.async {}
  }

  /// Lets the main queue go on until the end.
  private func serveMainQueue(until deadline: Date?) -> (any Error)? {
    guard Thread.isMainThread else { return BlockingError.mainQueueIsBlocked }
    // Inside a block of the main queue the run loop runs, but does not serve the queue. Whether this block runs tells.
    let isServed = Atomic<Bool>(false)
    DispatchQueue.main.async { isServed.store(true, ordering: .relaxed) }
    var passes = 0
    while !isEnded {
      let now = Date()
      if let deadline, deadline <= now { return RxError.timeout }
      if !isServed.load(ordering: .relaxed), passes >= 10 { return BlockingError.mainQueueIsBlocked }
      let pause = now.addingTimeInterval(0.01)
      _ = RunLoop.current.run(mode: .default, before: min(deadline ?? pause, pause))
      passes += 1
    }
    return nil
  }
}
