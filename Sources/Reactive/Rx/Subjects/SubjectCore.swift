import Synchronization

/// What the subjects and `share` have in common: the sinks that are subscribed, the elements to replay, the end.
///
/// An event takes the gate, so that events are delivered one at a time, and then, briefly, the lock for the list of the
/// sinks. Code of the user never runs under the lock. A sink that must first be sent old elements is a joiner meanwhile:
/// what other threads send while it catches up waits in a list of its own.
final class SubjectCore<Element: Sendable>: Sendable {
  private struct Subscriber: Sendable {
    let key: UInt64
    let sink: Sink<Element>
  }

  private struct Joiner: Sendable {
    let subscriber: Subscriber
    let thread: UInt
    var missed: [Event<Element>] = []
  }

  private struct State: Sendable {
    var subscribers: [Subscriber] = []
    var joiners: [Joiner] = []
    var nextKey: UInt64 = 0
    var history = Queue<Element>()
    /// Elements that wait for their turn to be delivered.
    var announced = Queue<Element>()
    var end: Event<Element>?
    var isDisposed = false

    /// Whom to send `event` now. A joiner whose own old elements led to it on `thread` is sent it at once, as everybody
    /// else; the other joiners get it later.
    mutating func receivers(of event: @autoclosure () -> Event<Element>) -> [Subscriber] {
      guard end == nil, !isDisposed else { return [] }
      var receivers = subscribers
      for index in joiners.indices {
        if joiners[index].thread == SerialGate.currentThread, joiners[index].missed.isEmpty {
          receivers.append(joiners[index].subscriber)
        } else {
          joiners[index].missed.append(event())
        }
      }
      return receivers
    }
  }

  /// How a subscription begins.
  private enum Start {
    case live(UInt64)
    case joining(UInt64)
    case ended(Event<Element>)
  }

  private let replay: Int
  private let replaysAfterEnd: Bool
  private let announces: Bool
  private let gate = SerialGate()
  private let state = Locked(State())

  /// The core of a subject.
  ///
  /// - Parameters:
  ///   - replay: How many elements a new subscription is sent.
  ///   - replaysAfterEnd: Whether it is sent them even after the end.
  ///   - announces: Whether ``latest()`` shows an element before its turn to be delivered has come.
  init(replay: Int = 0, replaysAfterEnd: Bool = false, announces: Bool = false) {
    self.replay = replay
    self.replaysAfterEnd = replaysAfterEnd
    self.announces = announces
  }

  var hasObservers: Bool {
    state.withLock { !$0.subscribers.isEmpty || !$0.joiners.isEmpty }
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

  /// Lets go of the elements and of all sinks without an event; `isGone` says that the subject itself is gone.
  func dispose(isGone: Bool = false) {
    // They go away outside of the lock, and whatever they hold with them.
    let (subscribers, _, _, _) = state.withLock { state in
      let old = (state.subscribers, state.history, state.announced, state.end)
      state.subscribers = []
      state.history = Queue()
      state.announced = Queue()
      state.end = nil
      state.isDisposed = true
      return old
    }
    if isGone {
      for subscriber in subscribers { subscriber.sink.sourceGone() }
    }
  }

  // MARK: Emitting

  func next(_ element: Element) {
    gate.run {
      deliver(element, wasAnnounced: false)
    } orLater: {
      if announces {
        state.withLock { if $0.end == nil { $0.announced.append(element) } }
      }
      return { self.deliver(element, wasAnnounced: self.announces) }
    }
  }

  /// Sends `error` or `completed`.
  func end(_ event: Event<Element>) {
    gate.run {
      deliver(end: event)
    } orLater: {
      { self.deliver(end: event) }
    }
  }

  private func deliver(_ element: Element, wasAnnounced: Bool) {
    // An old element goes away outside of the lock, too: that may run anything.
    let (receivers, _) = state.withLock { state -> ([Subscriber], Element?) in
      let receivers = state.receivers(of: .next(element))
      guard replay > 0, state.end == nil, !state.isDisposed else { return (receivers, nil) }
      if wasAnnounced { _ = state.announced.popFirst() }
      state.history.append(element)
      return (receivers, state.history.count > replay ? state.history.popFirst() : nil)
    }
    for receiver in receivers where !receiver.sink.isDisposed {
      receiver.sink.next(element)
    }
  }

  private func deliver(end event: Event<Element>) {
    let receivers = state.withLock { state in
      let receivers = state.receivers(of: event)
      if !state.isDisposed, state.end == nil { state.end = event }
      state.subscribers = []
      return receivers
    }
    for receiver in receivers { send(event, to: receiver.sink) }
  }

  private func send(_ event: Event<Element>, to sink: Sink<Element>) {
    if !sink.isDisposed { sink.on(event) }
  }

  // MARK: Subscribing

  func subscribe(_ sink: Sink<Element>) -> any Disposable {
    let (start, elements) = state.withLock { state -> (Start, [Element]) in
      if state.isDisposed { return (.ended(.error(RxError.disposed(object: self))), []) }
      if let end = state.end { return (.ended(end), replaysAfterEnd ? state.history.all : []) }
      let subscriber = Subscriber(key: state.nextKey, sink: sink)
      state.nextKey += 1
      if state.history.isEmpty {
        state.subscribers.append(subscriber)
        return (.live(subscriber.key), [])
      }
      state.joiners.append(Joiner(subscriber: subscriber, thread: SerialGate.currentThread))
      return (.joining(subscriber.key), state.history.all)
    }
    for element in elements { send(.next(element), to: sink) }
    switch start {
    case .live(let key):
      return SubjectSubscription(core: self, key: key)
    case .joining(let key):
      finishJoining(key, sink)
      return SubjectSubscription(core: self, key: key)
    case .ended(let event):
      send(event, to: sink)
      return Disposables.create()
    }
  }

  /// Sends a joiner what it has missed, until there is nothing more, and makes it a subscriber.
  private func finishJoining(_ key: UInt64, _ sink: Sink<Element>) {
    while true {
      let missed = state.withLock { state -> [Event<Element>] in
        guard let index = state.joiners.firstIndex(where: { $0.subscriber.key == key }) else { return [] }
        let missed = state.joiners[index].missed
        state.joiners[index].missed = []
        if missed.isEmpty {
          let joiner = state.joiners.remove(at: index)
          if state.end == nil, !state.isDisposed { state.subscribers.append(joiner.subscriber) }
        }
        return missed
      }
      if missed.isEmpty { return }
      for event in missed { send(event, to: sink) }
    }
  }

  fileprivate func unsubscribe(_ key: UInt64) {
    // The sink goes away outside of the lock.
    _ = state.withLock { state -> Subscriber? in
      guard let index = state.subscribers.firstIndex(where: { $0.key == key }) else { return nil }
      return state.subscribers.remove(at: index)
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

  func dispose() {
    core.unsubscribe(key)
  }
}
