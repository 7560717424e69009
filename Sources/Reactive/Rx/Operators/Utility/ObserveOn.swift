import Synchronization

extension ObservableType {
  /// The same sequence with its events sent on `scheduler` (RxSwift's `observe(on:)`).
  public func observe(on scheduler: any ImmediateSchedulerType) -> Observable<Element> {
    if let scheduler = scheduler as? SerialDispatchQueueScheduler {
      ObserveOnSerialQueue(source: asObservable(), scheduler: scheduler)
    } else {
      ObserveOn(source: asObservable(), scheduler: scheduler)
    }
  }
}

private final class ObserveOn<Element: Sendable>: Producer<Element>, @unchecked Sendable {
  private let source: Observable<Element>
  private let scheduler: any ImmediateSchedulerType

  init(source: Observable<Element>, scheduler: any ImmediateSchedulerType) {
    self.source = source
    self.scheduler = scheduler
  }

  override func run(_ downstream: Sink<Element>) -> any Disposable {
    let sink = ObserveOnSink(downstream, scheduler)
    sink.setUpstream(Disposables.create(source.subscribe(sink), sink.pump))
    return sink
  }
}

/// Queues events; a pump on the scheduler sends them one by one.
private final class ObserveOnSink<Element: Sendable>: OperatorSink<Element, Element>, @unchecked Sendable {
  private struct Queue: Sendable {
    var events: [Event<Element>] = []
    var head = 0
    var isPumping = false

    mutating func append(_ event: Event<Element>) -> Bool {
      events.append(event)
      defer { isPumping = true }
      return !isPumping
    }

    mutating func popFirst() -> Event<Element>? {
      guard head < events.count else {
        isPumping = false
        return nil
      }
      let event = events[head]
      head += 1
      if head == events.count || head > 64 {
        events.removeFirst(head)
        head = 0
      }
      return event
    }

    /// Whether there is more; when there is not, the pump has stopped.
    mutating func keepsPumping() -> Bool {
      isPumping = head < events.count
      return isPumping
    }
  }

  let pump = SerialDisposable()
  private let scheduler: any ImmediateSchedulerType
  private let queue = Locked(Queue())

  init(_ downstream: Sink<Element>, _ scheduler: any ImmediateSchedulerType) {
    self.scheduler = scheduler
    super.init(downstream)
  }

  override func next(_ element: Element) {
    enqueue(.next(element))
  }

  override func error(_ error: any Error) {
    enqueue(.error(error))
  }

  override func completed() {
    enqueue(.completed)
  }

  private func enqueue(_ event: Event<Element>) {
    guard queue.withLock({ $0.append(event) }) else { return }
    pump.disposable = scheduler.scheduleRecursive(()) { _, recurse in
      if self.sendFirst() { recurse(()) }
    }
  }

  private func sendFirst() -> Bool {
    guard let event = queue.withLock({ $0.popFirst() }), !isDisposed else { return false }
    downstream.on(event)
    if event.isStopEvent { dispose() }
    return queue.withLock { $0.keepsPumping() }
  }
}

private final class ObserveOnSerialQueue<Element: Sendable>: Producer<Element>, @unchecked Sendable {
  private let source: Observable<Element>
  private let scheduler: SerialDispatchQueueScheduler

  init(source: Observable<Element>, scheduler: SerialDispatchQueueScheduler) {
    self.source = source
    self.scheduler = scheduler
  }

  override func run(_ downstream: Sink<Element>) -> any Disposable {
    let sink = ObserveOnSerialQueueSink(downstream, scheduler)
    sink.setUpstream(source.subscribe(sink))
    return sink
  }
}

/// A serial queue keeps the order itself: each event is an action of its own.
private final class ObserveOnSerialQueueSink<Element: Sendable>: OperatorSink<Element, Element>, @unchecked Sendable {
  private let scheduler: SerialDispatchQueueScheduler

  init(_ downstream: Sink<Element>, _ scheduler: SerialDispatchQueueScheduler) {
    self.scheduler = scheduler
    super.init(downstream)
  }

  override func next(_ element: Element) {
    _ = scheduler.schedule(element) { element in
      if !self.isDisposed { self.downstream.next(element) }
      return Disposables.create()
    }
  }

  override func error(_ error: any Error) {
    send(.error(error))
  }

  override func completed() {
    send(.completed)
  }

  private func send(_ event: Event<Element>) {
    _ = scheduler.schedule(event) { event in
      if !self.isDisposed {
        self.downstream.on(event)
        self.dispose()
      }
      return Disposables.create()
    }
  }
}
