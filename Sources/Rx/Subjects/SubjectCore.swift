import Synchronization

/// What the subjects share: the subscribed sinks, the elements to replay, the end.
///
/// Emission takes the gate (so events are serialised) and then, briefly, the lock for a snapshot of the sinks; user
/// code never runs under the lock. A sink that must first be sent old elements is a *joiner* meanwhile: events that
/// come from other threads while it catches up wait in its own list.
///
/// `@unchecked Sendable`: `state` is guarded by its mutex, delivery by the gate.
final class SubjectCore<Element: Sendable>: @unchecked Sendable {
  /// How much a new subscription is sent of what was before.
  struct Replay: Sendable {
    /// At most how many elements.
    let limit: Int
    /// Whether elements are sent even after the end.
    let outlivesEnd: Bool
    /// Whether `latest` must show an element before its turn to be delivered has come.
    let isAnnounced: Bool
  }

  private enum End: Sendable {
    case completed
    case error(any Error)
  }

  private struct Entry: Sendable {
    let key: UInt64
    let sink: Sink<Element>
  }

  private enum Start {
    case live(UInt64)
    case joining(ContiguousArray<Element>, Joiner)
    case ended(ContiguousArray<Element>, End)
  }

  private struct State: Sendable {
    var entries: ContiguousArray<Entry> = []
    var nextKey: UInt64 = 0
    var history: ContiguousArray<Element> = []
    var announced: ContiguousArray<Element> = []
    var joiners: [Joiner] = []
    var end: End?
    var isDisposed = false

    mutating func insert(_ sink: Sink<Element>) -> UInt64 {
      let key = nextKey
      nextKey += 1
      entries.append(Entry(key: key, sink: sink))
      return key
    }
  }

  /// Guarded by `state`'s mutex.
  private final class Joiner: @unchecked Sendable {
    let sink: Sink<Element>
    let thread: UInt
    var missed: [Event<Element>] = []

    init(_ sink: Sink<Element>, _ thread: UInt) {
      self.sink = sink
      self.thread = thread
    }
  }

  private let gate = SerialGate<Element>()
  private let state: Mutex<State>
  private let replay: Replay

  init(replay: Replay = Replay(limit: 0, outlivesEnd: false, isAnnounced: false), first: Element? = nil) {
    self.replay = replay
    var state = State()
    if let first { state.history.append(first) }
    self.state = Mutex(state)
  }

  // MARK: Looking

  var hasObservers: Bool {
    state.withLock { !$0.entries.isEmpty || !$0.joiners.isEmpty }
  }

  var isDisposed: Bool {
    state.withLock { $0.isDisposed }
  }

  /// The newest element; throws what ended the subject, if it was an error or disposal.
  func latest() throws -> Element? {
    try state.withLock { state in
      if state.isDisposed { throw RxError.disposed(object: self) }
      if case .error(let error) = state.end { throw error }
      return state.announced.last ?? state.history.last
    }
  }

  // MARK: Emitting

  func next(_ element: Element) {
    let thread = SerialGate<Element>.currentThread
    switch gate.enter(thread, deliver: deliverDeferred) {
    case .entered:
      break
    case .reentered:
      return deliver(element, wasAnnounced: false)
    case .occupied:
      let entered = gate.enterOrDefer(thread, .next(element)) {
        if replay.isAnnounced { state.withLock { if $0.end == nil { $0.announced.append(element) } } }
      }
      guard entered else { return }
    }
    deliver(element, wasAnnounced: false)
    gate.leave(thread, deliver: deliverDeferred)
  }

  func end(_ event: Event<Element>) {
    let thread = SerialGate<Element>.currentThread
    switch gate.enter(thread, deliver: deliverDeferred) {
    case .entered: break
    case .reentered: return deliverEnd(event)
    case .occupied: guard gate.enterOrDefer(thread, event) else { return }
    }
    deliverEnd(event)
    gate.leave(thread, deliver: deliverDeferred)
  }

  private func deliverDeferred(_ event: Event<Element>) {
    if case .next(let element) = event {
      deliver(element, wasAnnounced: replay.isAnnounced)
    } else {
      deliverEnd(event)
    }
  }

  private func deliver(_ element: Element, wasAnnounced: Bool) {
    let entries = state.withLock { state -> ContiguousArray<Entry> in
      guard state.end == nil, !state.isDisposed else { return [] }
      if replay.limit > 0 { record(element, wasAnnounced: wasAnnounced, in: &state) }
      return state.joiners.isEmpty ? state.entries : joined(.next(element), in: &state)
    }
    for entry in entries where !entry.sink.isDisposed {
      entry.sink.next(element)
    }
  }

  private func deliverEnd(_ event: Event<Element>) {
    let entries = state.withLock { state -> ContiguousArray<Entry> in
      guard state.end == nil, !state.isDisposed else { return [] }
      if case .error(let error) = event { state.end = .error(error) } else { state.end = .completed }
      let entries = joined(event, in: &state)
      state.entries = []
      return entries
    }
    for entry in entries where !entry.sink.isDisposed {
      entry.sink.on(event)
    }
  }

  private func record(_ element: Element, wasAnnounced: Bool, in state: inout State) {
    if wasAnnounced, !state.announced.isEmpty { state.announced.removeFirst() }
    if state.history.count < replay.limit {
      state.history.append(element)
    } else if replay.limit == 1 {
      state.history[0] = element
    } else {
      state.history.removeFirst()
      state.history.append(element)
    }
  }

  // A joiner whose own initial element led here gets the event at once, as any other; the rest have it later.
  private func joined(_ event: Event<Element>, in state: inout State) -> ContiguousArray<Entry> {
    var entries = state.entries
    let thread = SerialGate<Element>.currentThread
    for joiner in state.joiners {
      if joiner.thread == thread, joiner.missed.isEmpty {
        entries.append(Entry(key: 0, sink: joiner.sink))
      } else {
        joiner.missed.append(event)
      }
    }
    return entries
  }

  // MARK: Subscribing

  func subscribe(_ sink: Sink<Element>) -> any Disposable {
    let start = state.withLock { state -> Start in
      if state.isDisposed { return .ended([], .error(RxError.disposed(object: self))) }
      if let end = state.end { return .ended(replay.outlivesEnd ? state.history : [], end) }
      if state.history.isEmpty { return .live(state.insert(sink)) }
      let joiner = Joiner(sink, SerialGate<Element>.currentThread)
      state.joiners.append(joiner)
      return .joining(state.history, joiner)
    }
    switch start {
    case .live(let key):
      return SubjectSubscription(core: self, key: key)
    case .joining(let elements, let joiner):
      send(elements, to: sink)
      return finishJoining(joiner)
    case .ended(let elements, let end):
      send(elements, to: sink)
      switch end {
      case .completed: sink.completed()
      case .error(let error): sink.error(error)
      }
      return Disposables.create()
    }
  }

  private func send(_ elements: ContiguousArray<Element>, to sink: Sink<Element>) {
    for element in elements where !sink.isDisposed {
      sink.next(element)
    }
  }

  private func finishJoining(_ joiner: Joiner) -> any Disposable {
    while true {
      var key: UInt64?
      let missed = state.withLock { state in
        let missed = joiner.missed
        joiner.missed = []
        if missed.isEmpty {
          state.joiners.removeAll { $0 === joiner }
          if state.end == nil, !state.isDisposed { key = state.insert(joiner.sink) }
        }
        return missed
      }
      for event in missed where !joiner.sink.isDisposed {
        joiner.sink.on(event)
      }
      if missed.isEmpty {
        return key.map { SubjectSubscription(core: self, key: $0) } ?? Disposables.create()
      }
    }
  }

  fileprivate func unsubscribe(_ key: UInt64) {
    // Whatever goes away with the sink goes away outside of the lock.
    _ = state.withLock { state -> Entry? in
      var low = 0
      var high = state.entries.count
      while low < high {
        let middle = (low + high) / 2
        if state.entries[middle].key < key { low = middle + 1 } else { high = middle }
      }
      guard low < state.entries.count, state.entries[low].key == key else { return nil }
      return state.entries.remove(at: low)
    }
  }

  func dispose() {
    _ = state.withLock { state -> State in
      let old = state
      state.isDisposed = true
      state.entries = []
      state.history = []
      state.announced = []
      state.end = nil
      return old
    }
  }
}

private final class SubjectSubscription<Element: Sendable>: DisposeBase, Disposable, @unchecked Sendable {
  // Removal of a key that is gone has no effect, so this needs no state of its own.
  private let core: SubjectCore<Element>
  private let key: UInt64

  init(core: SubjectCore<Element>, key: UInt64) {
    self.core = core
    self.key = key
  }

  func dispose() {
    core.unsubscribe(key)
  }
}
