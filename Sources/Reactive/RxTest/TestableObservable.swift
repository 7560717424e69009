import Rx

/// A sequence of recorded events that remembers who subscribed and when (RxTest).
///
/// Made by ``TestScheduler/createHotObservable(_:)`` and ``TestScheduler/createColdObservable(_:)``.
public final class TestableObservable<Element: Sendable>: ObservableType {
  private struct State {
    var subscriptions: [Subscription] = []
    /// The observers of a hot sequence, each with the index of its subscription.
    var observers: [(index: Int, observer: AnyObserver<Element>)] = []
  }

  /// The events that the sequence sends.
  public let recordedEvents: [Recorded<Event<Element>>]

  private let scheduler: TestScheduler
  private let isHot: Bool
  private let state = Locked(State())

  init(_ events: [Recorded<Event<Element>>], on scheduler: TestScheduler, isHot: Bool) {
    recordedEvents = events
    self.scheduler = scheduler
    self.isHot = isHot
    guard isHot else { return }
    let lane = VirtualLane()
    for event in events {
      // Weak: a scheduler that is never started keeps its actions. Subscriptions hold the sequence.
      _ = scheduler.schedule(event.value, at: event.time, lane: lane) { [weak self] event in
        self?.send(event)
        return Disposables.create()
      }
    }
  }

  /// The subscriptions so far, in order.
  public var subscriptions: [Subscription] { state.withLock { $0.subscriptions } }

  /// Subscribes `observer` to the events.
  public func subscribe(_ observer: some ObserverType<Element>) -> any Disposable {
    let start = scheduler.clock
    let index = state.withLock { state in
      state.subscriptions.append(Subscription(start))
      if isHot { state.observers.append((state.subscriptions.count - 1, observer.asObserver())) }
      return state.subscriptions.count - 1
    }
    let events = CompositeDisposable()
    if !isHot {
      let lane = VirtualLane()
      for event in recordedEvents {
        _ = events.insert(
          scheduler.schedule(event.value, at: scheduler.time(after: event.time), lane: lane) { event in
            observer.on(event)
            return Disposables.create()
          })
      }
    }
    return Disposables.create { [self] in
      events.dispose()
      let end = scheduler.clock
      let removed = state.withLock { state in
        state.subscriptions[index] = Subscription(start, end)
        return state.observers.firstIndex { $0.index == index }.map { state.observers.remove(at: $0) }
      }
      // Released outside of the lock: the observer may own what disposes of another subscription.
      withExtendedLifetime(removed) {}
    }
  }

  private func send(_ event: Event<Element>) {
    for (index, observer) in state.withLock({ $0.observers }) {
      let isSubscribed = state.withLock { $0.observers.contains { $0.index == index } }
      if isSubscribed { observer.on(event) }
    }
  }
}

/// When an observer subscribed to a ``TestableObservable``, and when that subscription ended (RxTest).
public struct Subscription: Hashable, Sendable {
  /// The virtual time of the subscription.
  public let subscribe: TestTime

  /// The virtual time at which the subscription was disposed; `Int.max` while it was not.
  public let unsubscribe: TestTime

  /// A subscription made at `subscribe` and never disposed.
  public init(_ subscribe: TestTime) { self.init(subscribe, .max) }

  /// A subscription made at `subscribe` and disposed at `unsubscribe`.
  public init(_ subscribe: TestTime, _ unsubscribe: TestTime) {
    self.subscribe = subscribe
    self.unsubscribe = unsubscribe
  }
}

extension Subscription: CustomDebugStringConvertible {
  /// Both times, as RxTest prints them: `(200 : 1000)`, `(200 : Infinity)`.
  public var debugDescription: String { "(\(subscribe) : \(unsubscribe == .max ? "Infinity" : String(unsubscribe)))" }
}

/// An observer that records what it receives and when (RxTest).
///
/// Made by ``TestScheduler/createObserver(_:)`` and by the `start` methods.
public final class TestableObserver<Element: Sendable>: ObserverType {
  private let scheduler: TestScheduler
  private let recorded = Locked<[Recorded<Event<Element>>]>([])

  init(scheduler: TestScheduler) { self.scheduler = scheduler }

  /// The events so far, in order.
  public var events: [Recorded<Event<Element>>] { recorded.withLock { $0 } }

  /// The elements so far, in order.
  public var elements: [Element] { events.compactMap(\.value.element) }

  /// Records `event` at the scheduler's current time.
  public func on(_ event: Event<Element>) {
    let record = Recorded(time: scheduler.clock, value: event)
    recorded.withLock { $0.append(record) }
  }
}
