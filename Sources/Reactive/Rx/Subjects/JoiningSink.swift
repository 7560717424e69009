/// Stands before a sink of a subject while that sink is sent old elements.
///
/// Events that other threads send meanwhile wait here. An event that the old elements cause on the subscribing thread is
/// delivered at once.
///
/// `@unchecked Sendable`: `downstream` and `thread` never change, and `state` has a lock of its own.
final class JoiningSink<Element: Sendable>: Sink<Element>, @unchecked Sendable {
  private struct State: Sendable {
    var missed: [Event<Element>] = []
    var hasJoined = false
  }

  private let downstream: Sink<Element>
  private let thread = SerialGate.currentThread
  private let state = Locked(State())

  init(_ downstream: Sink<Element>) {
    self.downstream = downstream
  }

  override func next(_ element: Element) {
    receive(.next(element))
  }

  override func error(_ error: any Error) {
    receive(.error(error))
  }

  override func completed() {
    receive(.completed)
  }

  /// Sends what was missed, until there is nothing more. From then on every event passes at once.
  func join() {
    while true {
      let missed = state.withLock { state in
        let missed = state.missed
        state.missed = []
        state.hasJoined = missed.isEmpty
        return missed
      }
      if missed.isEmpty { return }
      for event in missed { pass(event) }
    }
  }

  private func receive(_ event: Event<Element>) {
    let isItsTurn = state.withLock { state in
      if state.hasJoined || (state.missed.isEmpty && thread == SerialGate.currentThread) { return true }
      state.missed.append(event)
      return false
    }
    if isItsTurn { pass(event) }
  }

  private func pass(_ event: Event<Element>) {
    if !downstream.isDisposed { downstream.on(event) }
  }
}
