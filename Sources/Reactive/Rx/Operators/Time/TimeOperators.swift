import Dispatch

/// The integers that `interval` and `timer` count with (RxSwift).
public typealias RxAbstractInteger = FixedWidthInteger

extension ObservableType where Element: RxAbstractInteger {
  /// 0, 1, 2 and so on, the first after one `period`, then one each `period` (RxSwift). Wraps around.
  public static func interval(_ period: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
    timer(period, period: period, scheduler: scheduler)
  }

  /// 0 after `dueTime`, and completion, or with a `period`, 1, 2 and so on each `period` (RxSwift). Wraps around.
  public static func timer(
    _ dueTime: RxTimeInterval, period: RxTimeInterval? = nil, scheduler: any SchedulerType
  ) -> Observable<Element> {
    Observable { downstream in
      guard let period else {
        return scheduler.scheduleRelative((), dueTime: dueTime) { _ in
          downstream.next(0)
          downstream.completed()
          return Disposables.create()
        }
      }
      return scheduler.schedulePeriodic(0 as Element, startAfter: dueTime, period: period) { count in
        downstream.next(count)
        return count &+ 1
      }
    }
  }
}

extension ObservableType {
  /// The elements that no other one follows within `dueTime`, sent after that, or on completion (RxSwift).
  public func debounce(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
    timed(
      on: scheduler, state: Element?.none,
      onNext: { sink, element in
        sink.state = element
        sink.startTimer(after: dueTime) { $0.sendPending() }
      },
      onCompleted: { sink in
        sink.sendPending()
        sink.sendEnd()
      })
  }

  /// At most one element each `dueTime`: the first at once, and when the time is over the latest that came meanwhile,
  /// unless `latest` is false: then those are lost (RxSwift).
  public func throttle(
    _ dueTime: RxTimeInterval, latest: Bool = true, scheduler: any SchedulerType
  ) -> Observable<Element> {
    timed(
      on: scheduler, state: ThrottleState<Element>(),
      onNext: { sink, element in
        let wait = sink.state.lastSent.map { dueTime.remaining(since: $0, at: sink.now) } ?? .nanoseconds(0)
        if wait == .nanoseconds(0), !sink.isSending { return sink.sendThrottled(element, dueTime) }
        guard latest else { return }
        let isWaiting = sink.state.pending != nil
        sink.state.pending = element
        // What comes while the receiver is busy waits from when it is done.
        if !isWaiting, !sink.isSending { sink.startTimer(after: wait) { $0.sendPending(dueTime) } }
      },
      onCompleted: { sink in
        guard sink.state.pending != nil else { return sink.sendEnd() }
        sink.state.isSourceDone = true
        sink.endSource()
      })
  }

  /// This sequence, each element and its completion `dueTime` later; an error overtakes them (RxSwift).
  public func delay(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
    timed(
      on: scheduler, state: DelayState<Element>(),
      onNext: { sink, element in sink.delay(.next(element), by: dueTime) },
      onCompleted: { sink in
        sink.endSource()
        sink.delay(.completed, by: dueTime)
      })
  }

  /// This sequence, subscribed to `dueTime` later (RxSwift).
  public func delaySubscription(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
    let source = asObservable()
    return Observable { downstream in
      scheduler.scheduleRelative((), dueTime: dueTime) { source.subscribe(downstream) }
    }
  }

  /// This sequence, which fails with ``RxError/timeout`` when the next element does not come in `dueTime` (RxSwift).
  public func timeout(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
    timeout(dueTime, other: Observable.error(RxError.timeout), scheduler: scheduler)
  }

  /// This sequence, and `other` instead when an element, the first or the next, does not come in `dueTime` (RxSwift).
  public func timeout<Source: ObservableConvertibleType>(
    _ dueTime: RxTimeInterval, other: Source, scheduler: any SchedulerType
  ) -> Observable<Element> where Source.Element == Element {
    let switchToOther: @Sendable (LockedStage<Element, Element, ()>) -> Void = {
      $0.switchSource(to: other.asObservable())
    }
    return timed(
      on: scheduler, state: (),
      onSubscribe: { $0.startTimer(after: dueTime, fire: switchToOther) },
      onNext: { sink, element in
        // Stopped before the element is sent: the time that the receiver takes does not count.
        sink.stopTimer()
        sink.unlocked { sink.downstream.next(element) }
        sink.startTimer(after: dueTime, fire: switchToOther)
      })
  }

  /// Arrays of the elements since the last one, sent after `count` elements or `timeSpan`, and on completion (RxSwift).
  public func buffer(timeSpan: RxTimeInterval, count: Int, scheduler: any SchedulerType) -> Observable<[Element]> {
    timed(
      on: scheduler, state: [Element](),
      onSubscribe: { $0.startWindow(timeSpan) },
      onNext: { sink, element in
        sink.state.append(element)
        if sink.state.count == count { sink.sendWindow(timeSpan) }
      },
      onCompleted: { sink in
        // The time must not be over while the last window is being sent.
        sink.stopTimer()
        sink.send(sink.state)
        sink.sendEnd()
      })
  }

  /// The elements that come within `duration` of the subscription; then it completes (RxSwift).
  public func take(for duration: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
    timed(
      on: scheduler, state: (),
      onSubscribe: { sink in sink.startTimer(after: duration) { $0.sendEnd() } },
      onNext: { sink, element in sink.send(element) })
  }

  /// The elements that come after the first `duration` of the subscription (RxSwift).
  public func skip(_ duration: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
    timed(
      on: scheduler, state: false,
      onSubscribe: { sink in sink.startTimer(after: duration) { $0.state = true } },
      onNext: { sink, element in if sink.state { sink.send(element) } })
  }
}

extension LockedStage where State == Output? {
  fileprivate func sendPending() {
    if let element = state.take() { send(element) }
  }
}

private struct ThrottleState<Element: Sendable>: Sendable {
  var lastSent: RxTime?
  /// The latest element that came before its time.
  var pending: Element?
  var isSourceDone = false
}

extension LockedStage where State == ThrottleState<Output> {
  fileprivate func sendThrottled(_ element: Output, _ dueTime: RxTimeInterval) {
    stopTimer()
    state.pending = nil
    send(element)
    // The time begins when the receiver has handled the element.
    state.lastSent = now
    if state.pending != nil { startTimer(after: dueTime) { $0.sendPending(dueTime) } }
  }

  fileprivate func sendPending(_ dueTime: RxTimeInterval) {
    if let element = state.pending { sendThrottled(element, dueTime) }
    if state.isSourceDone, state.pending == nil { sendEnd() }
  }
}

private struct DelayState<Element: Sendable>: Sendable {
  struct Delayed: Sendable {
    let received: RxTime
    let event: Event<Element>
  }

  var delayed = Queue<Delayed>()
}

extension LockedStage where State == DelayState<Output> {
  fileprivate func delay(_ event: Event<Output>, by dueTime: RxTimeInterval) {
    let isWaiting = isSending || !state.delayed.isEmpty
    state.delayed.append(DelayState.Delayed(received: now, event: event))
    if !isWaiting { startTimer(after: dueTime) { $0.sendFirst(dueTime) } }
  }

  /// Sends the event that is due, and waits for the one after it.
  private func sendFirst(_ dueTime: RxTimeInterval) {
    guard let due = state.delayed.popFirst()?.event else { return }
    if case .next(let element) = due { send(element) } else { sendEnd(due.error) }
    guard let next = state.delayed.first else { return }
    startTimer(after: dueTime.remaining(since: next.received, at: now)) { $0.sendFirst(dueTime) }
  }
}

extension LockedStage where Output == [Input], State == [Input] {
  fileprivate func startWindow(_ timeSpan: RxTimeInterval) {
    startTimer(after: timeSpan) { $0.sendWindow(timeSpan) }
  }

  fileprivate func sendWindow(_ timeSpan: RxTimeInterval) {
    let window = state
    state = []
    stopTimer()
    send(window)
    // The time begins when the receiver has handled the window, so that empty windows do not queue before a slow
    // receiver.
    if !isSending { startWindow(timeSpan) }
  }
}
