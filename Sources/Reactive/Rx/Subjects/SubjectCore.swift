/// What the subjects and `share` have in common: the sinks that are subscribed, the elements to replay, the end.
///
/// An event takes the gate, so that events are delivered one at a time, and then, briefly, the lock for the tree of the
/// sinks. Code of the user never runs under the lock.
final class SubjectCore<Element: Sendable>: Sendable {
  private let replay: Int
  private let replaysAfterEnd: Bool
  private let announces: Bool
  private let sendsAtEnd: Bool
  private let gate = SerialGate()
  private let state = Locked(SubjectState())
  // Guarded by the lock of the state. It is not in the state, which names no type of elements, because generic code
  // asks the runtime how a generic structure is laid out.
  private nonisolated(unsafe) var sinks: SinkTree<Element>?

  /// - Parameters:
  ///   - replay: How many elements a new subscription is sent; even after the end if `replaysAfterEnd`.
  ///   - announces: Whether ``latest()`` shows an element before its turn to be delivered has come.
  ///   - sendsAtEnd: Whether the elements that it would replay are sent when it completes, and not before.
  init(replay: Int = 0, replaysAfterEnd: Bool = false, announces: Bool = false, sendsAtEnd: Bool = false) {
    self.replay = replay
    self.replaysAfterEnd = replaysAfterEnd
    self.announces = announces
    self.sendsAtEnd = sendsAtEnd
  }

  var hasObservers: Bool { state.withLock { _ in sinks != nil } }

  var isDisposed: Bool { state.withLock { $0.isDisposed } }

  /// The newest element; throws what ended the subject, if it was an error or disposal.
  func latest() throws -> Element? {
    try state.withLock { state in
      if state.isDisposed { throw RxError.disposed(object: self) }
      if case .error(let error) = state.end { throw error }
      return (state.announced.last ?? state.history.last) as? Element
    }
  }

  /// Lets go of the elements and of all sinks without an event; `isGone` says that the subject itself is gone.
  func dispose(isGone: Bool = false) {
    // They go away outside of the lock, and whatever they hold with them.
    let (receivers, _) = state.withLock { state -> (SinkTree<Element>?, SubjectState) in
      let old = (sinks, state)
      sinks = nil
      state = SubjectState(isDisposed: true)
      return old
    }
    if isGone { receivers?.forEach { $0.sourceGone() } }
  }

  // MARK: Emitting

  func next(_ element: Element) {
    gate.run {
      deliver(element, wasAnnounced: false)
    } orLater: {
      if announces {
        state.withLock { if !$0.isOver { $0.announced.append(element) } }
      }
      return { self.deliver(element, wasAnnounced: self.announces) }
    }
  }

  func end(_ end: Event<Never>) { gate.run { self.deliver(end: end) } }

  private func deliver(_ element: Element, wasAnnounced: Bool) {
    // Assigned, not returned: for a result of a generic type the runtime is asked for its layout, at every event.
    var receivers: SinkTree<Element>?
    if replay == 0 {
      state.withLock { _ in receivers = sinks }
    } else {
      // The element that is replaced goes away outside of the lock: that may run anything.
      var replaced: any Sendable = element
      state.withLock { state in
        guard !state.isOver else { return }
        receivers = sinks
        if wasAnnounced { _ = state.announced.popFirst() }
        if state.history.count < replay {
          state.history.append(element)
        } else {
          state.history.append(exchanging: &replaced)
        }
      }
    }
    if !sendsAtEnd { receivers?.next(element) }
  }

  private func deliver(end: Event<Never>) {
    // The dropped elements are released outside of the lock.
    let (receivers, history) = state.withLock { state -> (SinkTree<Element>?, Queue<any Sendable>) in
      guard !state.isOver else { return (nil, Queue()) }
      let old = (sinks, state.history)
      state.end = end
      if sendsAtEnd, case .error = end { state.history = Queue() }
      sinks = nil
      return old
    }
    receivers?.forEach { sink in
      if sendsAtEnd, case .completed = end { send(history, to: sink) }
      send(end, to: sink)
    }
  }

  private func send(_ elements: Queue<any Sendable>, to sink: Sink<Element>) {
    elements.forEach { if let element = $0 as? Element, !sink.isCut { sink.next(element) } }
  }

  private func send(_ end: Event<Never>, to sink: Sink<Element>) { if !sink.isDisposed { sink.end(end.error) } }

  // MARK: Subscribing

  func subscribe(_ sink: Sink<Element>) -> any Disposable {
    var key: UInt64?
    if replay == 0 || sendsAtEnd {
      key = start(sink, sink)
    } else if !gate.runNow({ key = start(sink, sink) }) {
      // Another thread is delivering an event.
      let joining = Joining(sink)
      key = start(joining.sink, sink)
      if let first = key {
        joining.join()
        key = replace(first, by: sink)
      }
    }
    return key.map { SubjectSubscription(core: self, key: $0) } ?? Disposables.create()
  }

  /// Adds `receiver` and sends `sink` the old elements, or the end. Returns the key of the receiver.
  private func start(_ receiver: Sink<Element>, _ sink: Sink<Element>) -> UInt64? {
    let (key, history, end) = state.withLock { state -> (UInt64?, Queue<any Sendable>, Event<Never>?) in
      if state.isDisposed { return (nil, Queue(), .error(RxError.disposed(object: self))) }
      if let end = state.end { return (nil, replaysAfterEnd ? state.history : Queue(), end) }
      return (add(receiver, &state), sendsAtEnd ? Queue() : state.history, nil)
    }
    if !history.isEmpty { send(history, to: sink) }
    if let end { send(end, to: sink) }
    return key
  }

  /// Lets `sink`, which has joined, receive its events itself. Returns its key.
  private func replace(_ key: UInt64, by sink: Sink<Element>) -> UInt64 {
    state.withLock { state in
      guard let old = sinks else { return key }
      sinks = old.removing(key)
      return add(sink, &state)
    }
  }

  /// Adds a sink at the end, under the lock. Returns its key.
  private func add(_ sink: Sink<Element>, _ state: inout SubjectState) -> UInt64 {
    defer { state.nextKey += 1 }
    let last = SinkTree(state.nextKey, sink)
    sinks = sinks?.appending(last) ?? last
    return state.nextKey
  }

  fileprivate func unsubscribe(_ key: UInt64) {
    // The sink goes away outside of the lock.
    var old: SinkTree<Element>?
    state.withLock { _ in
      old = sinks
      sinks = old?.removing(key)
    }
  }
}

/// Ends a subscription. To remove a key that is gone has no effect, so this needs no state of its own.
private final class SubjectSubscription<Element: Sendable>: Disposable {
  private let counted = CountedResource()
  private let core: SubjectCore<Element>
  private let key: UInt64

  init(core: SubjectCore<Element>, key: UInt64) {
    self.core = core
    self.key = key
  }

  func dispose() { core.unsubscribe(key) }
}

/// The state of a ``SubjectCore`` beside the sinks. It names no type of elements, so the elements are in boxes.
private struct SubjectState: Sendable {
  var nextKey: UInt64 = 0
  var history = Queue<any Sendable>()
  /// Elements that wait for their turn to be delivered.
  var announced = Queue<any Sendable>()
  var end: Event<Never>?
  var isDisposed = false

  var isOver: Bool { isDisposed || end != nil }
}

/// Stands before a sink of a subject while that sink is sent old elements. Events wait here meanwhile.
private final class Joining<Element: Sendable>: Sendable {
  private struct State: Sendable {
    var missed: [Event<Element>] = []
    var hasJoined = false
  }

  private let downstream: Sink<Element>
  private let state = Locked(State())

  init(_ downstream: Sink<Element>) { self.downstream = downstream }

  /// Receives the events.
  var sink: Sink<Element> {
    ClosureSink(
      onNext: { self.receive(.next($1)) },
      onEnd: { self.receive(Event(end: $1)) })
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
      if !state.hasJoined { state.missed.append(event) }
      return state.hasJoined
    }
    if isItsTurn { pass(event) }
  }

  private func pass(_ event: Event<Element>) { if !downstream.isDisposed { downstream.on(event) } }
}
