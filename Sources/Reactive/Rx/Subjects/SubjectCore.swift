import Synchronization

/// What the subjects share: the subscribed sinks, the elements to replay, the end.
///
/// Emission takes the gate (so events are serialised) and then, briefly, the lock for a snapshot of the sinks; user
/// code never runs under the lock. A sink that must first be sent old elements is a *joiner* meanwhile: events that
/// come from other threads while it catches up wait in its own list.
///
/// `@unchecked Sendable`: `state`, `history` and `announced` are guarded by `state`'s mutex, delivery by the gate.
final class SubjectCore<Element: Sendable>: AnySubjectCore, @unchecked Sendable {
  private let replaysAfterEnd: Bool
  // Whether `latest` shows an element before its turn to be delivered has come.
  private let announces: Bool
  private let history: ReplayBuffer<Element>?
  private var announced: ContiguousArray<Element> = []

  /// The core of a subject.
  ///
  /// - Parameters:
  ///   - replay: How many elements a new subscription is sent.
  ///   - replaysAfterEnd: Whether it is sent them even after the end.
  ///   - announces: Whether ``latest()`` shows an element before its turn to be delivered has come.
  ///   - first: The first of these elements.
  init(replay: Int = 0, replaysAfterEnd: Bool = false, announces: Bool = false, first: Element? = nil) {
    self.replaysAfterEnd = replaysAfterEnd
    self.announces = announces
    history = replay > 0 ? .make(limit: replay) : nil
    if let first { history?.append(first) }
  }

  /// The newest element; throws what ended the subject, if it was an error or disposal.
  func latest() throws -> Element? {
    try state.withLock { state in
      if state.isDisposed { throw RxError.disposed(object: self) }
      if case .error(let error) = state.end { throw error }
      return announced.last ?? history?.elements.last
    }
  }

  // MARK: Emitting

  func next(_ element: Element) {
    let thread = SerialGate.currentThread
    switch gate.enter(thread) {
    case .entered: break
    case .reentered: return deliver(element, wasAnnounced: false)
    case .occupied: guard enterOrDefer(thread, element) else { return }
    }
    deliver(element, wasAnnounced: false)
    gate.leave(thread)
  }

  @inline(never)
  private func enterOrDefer(_ thread: UInt, _ element: Element) -> Bool {
    gate.enterOrDefer(
      thread, { self.deliver(element, wasAnnounced: self.announces) },
      onDefer: {
        if announces { state.withLock { if $0.end == nil { announced.append(element) } } }
      })
  }

  func end(_ end: SubjectEnd) {
    let thread = SerialGate.currentThread
    switch gate.enter(thread) {
    case .entered: break
    case .reentered: return deliver(end)
    case .occupied: guard gate.enterOrDefer(thread, { self.deliver(end) }) else { return }
    }
    deliver(end)
    gate.leave(thread)
  }

  private func deliver(_ element: Element, wasAnnounced: Bool) {
    let entries = state.withLock { state -> ContiguousArray<SinkList.Entry> in
      guard !state.isOver else { return [] }
      if let history {
        history.append(element)
        if wasAnnounced, !announced.isEmpty { announced.removeFirst() }
      }
      if state.joiners.isEmpty { return state.sinks.entries }
      return state.entries(on: SerialGate.currentThread) { self.send(element, to: $0) }
    }
    history?.dropStale()
    for entry in entries {
      send(element, to: entry.sink)
    }
  }

  private func deliver(_ end: SubjectEnd) {
    let entries = state.withLock { state -> ContiguousArray<SinkList.Entry> in
      guard !state.isOver else { return [] }
      let entries = state.entries(on: SerialGate.currentThread) { self.send(end, to: $0) }
      state.end = end
      _ = state.sinks.removeAll()
      return entries
    }
    for entry in entries {
      send(end, to: entry.sink)
    }
  }

  // Only sinks of `Element` are ever subscribed.
  @inline(__always)
  private func send(_ element: Element, to sink: AnySink) {
    if !sink.isDisposed { unsafeDowncast(sink, to: Sink<Element>.self).next(element) }
  }

  private func send(_ end: SubjectEnd, to sink: AnySink) {
    guard !sink.isDisposed else { return }
    let sink = unsafeDowncast(sink, to: Sink<Element>.self)
    switch end {
    case .completed: sink.completed()
    case .error(let error): sink.error(error)
    }
  }

  // MARK: Subscribing

  func subscribe(_ sink: Sink<Element>) -> any Disposable {
    var elements: ContiguousArray<Element> = []
    let start = state.withLock { state -> Start in
      if state.isDisposed { return .ended(.error(RxError.disposed(object: self))) }
      if let end = state.end {
        if replaysAfterEnd, let history { elements = history.elements }
        return .ended(end)
      }
      guard let history, !history.isEmpty else { return .live(state.sinks.insert(sink)) }
      elements = history.elements
      let joiner = Joiner(sink, SerialGate.currentThread)
      state.joiners.append(joiner)
      return .joining(joiner)
    }
    for element in elements { send(element, to: sink) }
    switch start {
    case .live(let key):
      return SubjectSubscription(core: self, key: key)
    case .joining(let joiner):
      return finish(joiner)
    case .ended(let end):
      send(end, to: sink)
      return Disposables.create()
    }
  }

  override func forget() -> AnyObject? {
    announced = []
    return history?.removeAll()
  }
}
