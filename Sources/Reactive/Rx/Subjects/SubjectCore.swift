import Synchronization

/// What the subjects and `share` have in common: the sinks that are subscribed, the elements to replay, the end.
///
/// An event takes the gate, so that events are delivered one at a time, and then, briefly, the lock for the list of the
/// sinks. Code of the user never runs under the lock. A sink that must first be sent old elements is a joiner meanwhile:
/// what other threads send while it catches up waits in a list of its own.
final class SubjectCore<Element: Sendable>: Sendable {
  private let replay: Int
  private let replaysAfterEnd: Bool
  private let announces: Bool
  private let sendsAtEnd: Bool
  private let gate = SerialGate()
  private let state = Locked(SubjectState())

  /// The core of a subject.
  ///
  /// - Parameters:
  ///   - replay: How many elements a new subscription is sent.
  ///   - replaysAfterEnd: Whether it is sent them even after the end.
  ///   - announces: Whether ``latest()`` shows an element before its turn to be delivered has come.
  ///   - sendsAtEnd: Whether the elements that it would replay are sent when it completes, and not before.
  init(replay: Int = 0, replaysAfterEnd: Bool = false, announces: Bool = false, sendsAtEnd: Bool = false) {
    self.replay = replay
    self.replaysAfterEnd = replaysAfterEnd
    self.announces = announces
    self.sendsAtEnd = sendsAtEnd
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
      return (state.announced.last ?? state.history.last) as? Element
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
      for subscriber in subscribers { (subscriber.sink as? Sink<Element>)?.sourceGone() }
    }
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

  func end(_ end: SubjectState.End) {
    gate.run {
      deliver(end: end)
    } orLater: {
      { self.deliver(end: end) }
    }
  }

  private func deliver(_ element: Element, wasAnnounced: Bool) {
    let receivers: [SubjectState.Subscriber]
    if replay > 0 {
      receivers = remember(element, wasAnnounced)
    } else {
      receivers = state.withLock { state in
        state.joiners.isEmpty ? state.subscribers : state.receivers(of: .element(element))
      }
    }
    if sendsAtEnd { return }
    for receiver in receivers where !receiver.sink.isDisposed {
      (receiver.sink as? Sink<Element>)?.next(element)
    }
  }

  /// Adds `element` to those that are replayed. Returns whom to send it.
  private func remember(_ element: Element, _ wasAnnounced: Bool) -> [SubjectState.Subscriber] {
    // The element that it replaces goes away outside of the lock, too: that may run anything.
    var replaced: any Sendable = element
    return state.withLock { state in
      let receivers = state.receivers(of: .element(element))
      guard !state.isOver else { return receivers }
      if wasAnnounced { _ = state.announced.popFirst() }
      if state.history.count < replay {
        state.history.append(element)
      } else {
        state.history.append(exchanging: &replaced)
      }
      return receivers
    }
  }

  private func deliver(end: SubjectState.End) {
    // What is forgotten goes away outside of the lock.
    let (receivers, history) = state.withLock { state in
      let (receivers, history) = (state.receivers(of: .end(end)), state.history)
      if !state.isOver { state.end = end }
      if sendsAtEnd, case .error = end { state.history = Queue() }
      state.subscribers = []
      return (receivers, history)
    }
    for receiver in receivers {
      if sendsAtEnd, case .completed = end {
        for element in history.all { send(.element(element), to: receiver.sink) }
      }
      send(.end(end), to: receiver.sink)
    }
  }

  private func send(_ event: SubjectState.Event, to sink: AnySink) {
    guard !sink.isDisposed, let sink = sink as? Sink<Element> else { return }
    switch event {
    case .element(let element):
      if let element = element as? Element { sink.next(element) }
    case .end(.error(let error)):
      sink.error(error)
    case .end(.completed):
      sink.completed()
    }
  }

  // MARK: Subscribing

  func subscribe(_ sink: Sink<Element>) -> any Disposable {
    let (start, elements) = state.withLock { state -> (SubjectState.Start, [any Sendable]) in
      if state.isDisposed { return (.ended(.error(RxError.disposed(object: self))), []) }
      if let end = state.end { return (.ended(end), replaysAfterEnd ? state.history.all : []) }
      let subscriber = SubjectState.Subscriber(key: state.nextKey, sink: sink)
      state.nextKey += 1
      if state.history.isEmpty || sendsAtEnd {
        state.subscribers.append(subscriber)
        return (.live(subscriber.key), [])
      }
      state.joiners.append(SubjectState.Joiner(subscriber: subscriber, thread: SerialGate.currentThread))
      return (.joining(subscriber.key), state.history.all)
    }
    for element in elements { send(.element(element), to: sink) }
    switch start {
    case .live(let key):
      return SubjectSubscription(core: self, key: key)
    case .joining(let key):
      finishJoining(key, sink)
      return SubjectSubscription(core: self, key: key)
    case .ended(let end):
      send(.end(end), to: sink)
      return Disposables.create()
    }
  }

  /// Sends a joiner what it has missed, until there is nothing more, and makes it a subscriber.
  private func finishJoining(_ key: UInt64, _ sink: Sink<Element>) {
    while true {
      let missed = state.withLock { state -> [SubjectState.Event] in
        guard let index = state.joiners.firstIndex(where: { $0.subscriber.key == key }) else { return [] }
        let missed = state.joiners[index].missed
        state.joiners[index].missed = []
        if missed.isEmpty {
          let joiner = state.joiners.remove(at: index)
          if !state.isOver { state.subscribers.append(joiner.subscriber) }
        }
        return missed
      }
      if missed.isEmpty { return }
      for event in missed { send(event, to: sink) }
    }
  }

  fileprivate func unsubscribe(_ key: UInt64) {
    // The sink goes away outside of the lock.
    _ = state.withLock { state -> SubjectState.Subscriber? in
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

/// What a ``SubjectCore`` knows, without the type of its elements: in generic code each use of an array looks up what its
/// elements are, several times an event.
struct SubjectState: Sendable {
  struct Subscriber: Sendable {
    let key: UInt64
    /// A `Sink` of the subject's elements.
    let sink: AnySink
  }

  struct Joiner: Sendable {
    let subscriber: Subscriber
    let thread: UInt
    var missed: [Event] = []
  }

  enum Event: Sendable {
    case element(any Sendable)
    case end(End)
  }

  enum End: Sendable {
    case completed
    case error(any Error)
  }

  /// How a subscription begins.
  enum Start {
    case live(UInt64)
    case joining(UInt64)
    case ended(End)
  }

  var subscribers: [Subscriber] = []
  var joiners: [Joiner] = []
  var nextKey: UInt64 = 0
  var history = Queue<any Sendable>()
  /// Elements that wait for their turn to be delivered.
  var announced = Queue<any Sendable>()
  var end: End?
  var isDisposed = false

  var isOver: Bool {
    isDisposed || end != nil
  }

  /// Whom to send `event` now. A joiner whose own old elements led to it on its thread is sent it at once, as everybody
  /// else; the other joiners get it later.
  mutating func receivers(of event: @autoclosure () -> Event) -> [Subscriber] {
    if isOver { return [] }
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
