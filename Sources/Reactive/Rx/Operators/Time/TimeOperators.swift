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
        sink.change { pending, status in
          // Until the new timer starts, none may send it.
          status.stopTimer()
          pending = element
        }
        sink.startTimer(after: dueTime, send: { pending, _ in pending.take().map { .next($0) } })
      },
      onCompleted: { sink in
        sink.send { pending, _ in pending.take().map { .next($0) } }
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
        let now = sink.now
        var wait: RxTimeInterval?
        // Inlined, because it would otherwise ask the runtime for the layout of the state at every event.
        @inline(__always)
        func isDue(_ state: inout ThrottleState<Element>, _ status: inout StageStatus) -> Bool {
          let rest = state.lastSent.map { dueTime.remaining(since: $0, at: now) } ?? .nanoseconds(0)
          if rest == .nanoseconds(0), !status.isSending {
            status.stopTimer()
            state.pending = nil
            return true
          }
          guard latest else { return false }
          // What comes while the receiver is busy waits from when it is done.
          if state.pending == nil, !status.isSending { wait = rest }
          state.pending = element
          return false
        }
        if sink.change(isDue) {
          sink.send(element)
          sink.beginThrottling(dueTime)
        }
        if let wait { sink.throttle(after: wait, dueTime) }
      },
      onCompleted: { sink in
        let isWaiting = sink.change { state in
          state.isSourceDone = state.pending != nil
          return state.isSourceDone
        }
        if isWaiting { sink.endSource() } else { sink.sendEnd() }
      })
  }

  /// This sequence, each element and its completion `dueTime` later; an error overtakes them (RxSwift). The next one
  /// comes when the receiver is done with the one before, so a receiver must not wait for it.
  public func delay(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
    timed(
      on: scheduler, state: Line<Delayed<Element>>(),
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
    let startTimer: @Sendable (LockedStage<Element, Element, NoState>) -> Void = { sink in
      sink.startTimer(
        after: dueTime,
        send: { _, status in
          status.isSourceOver = true
          return nil
        },
        then: { sink, _ in sink.switchSource(to: other.asObservable()) })
    }
    return timed(
      on: scheduler, state: NoState(), onSubscribe: startTimer,
      onNext: { sink, element in
        let isOpen = sink.change { _, status in
          // The time that the receiver takes does not count.
          if !status.isSourceOver { status.stopTimer() }
          return !status.isSourceOver
        }
        if isOpen {
          sink.send(element)
          startTimer(sink)
        }
      })
  }

  /// Arrays of the elements since the last one, sent after `count` elements or `timeSpan`, and on completion (RxSwift).
  public func buffer(timeSpan: RxTimeInterval, count: Int, scheduler: any SchedulerType) -> Observable<[Element]> {
    timed(
      on: scheduler, state: Line<Element>(),
      onSubscribe: { $0.startWindow(timeSpan) },
      onNext: { sink, element in
        let isSent = sink.send { window, status in
          window.append(element)
          return window.count == count ? window.take(&status) : nil
        }
        if isSent { sink.startWindow(timeSpan) }
      },
      onCompleted: { sink in
        sink.send { window, status in window.take(&status) }
        sink.sendEnd()
      })
  }

  /// The elements that come within `duration` of the subscription; then it completes (RxSwift).
  public func take(for duration: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
    timed(
      on: scheduler, state: NoState(),
      onSubscribe: { sink in sink.startTimer(after: duration, send: { _, _ in .completed }) },
      onNext: { sink, element in sink.send(element) })
  }

  /// The elements that come after the first `duration` of the subscription (RxSwift).
  public func skip(_ duration: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
    timed(
      on: scheduler, state: false,
      onSubscribe: { sink in
        sink.startTimer(
          after: duration,
          send: { isOpen, _ in
            isOpen = true
            return nil
          })
      },
      onNext: { sink, element in sink.send(element, if: { $0 }) })
  }
}

private struct ThrottleState<Element: Sendable>: Sendable {
  var lastSent: RxTime?
  /// The latest element that came before its time.
  var pending: Element?
  var isSourceDone = false
}

extension LockedStage where State == ThrottleState<Output> {
  /// Sends the pending element when the time is over.
  fileprivate func throttle(after wait: RxTimeInterval, _ dueTime: RxTimeInterval) {
    startTimer(
      after: wait, send: { state, _ in state.pending.take().map { .next($0) } },
      then: { sink, _ in
        sink.beginThrottling(dueTime)
        sink.send { state, _ in state.isSourceDone && state.pending == nil ? .completed : nil }
      })
  }

  /// Begins the time in which nothing more is sent, when the receiver has handled an element.
  fileprivate func beginThrottling(_ dueTime: RxTimeInterval) {
    let now = now
    @inline(__always)
    func isWaiting(_ state: inout ThrottleState<Output>) -> Bool {
      state.lastSent = now
      return state.pending != nil
    }
    if change(isWaiting) { throttle(after: dueTime, dueTime) }
  }
}

/// An event of a sequence that is delayed.
private struct Delayed<Element: Sendable>: Sendable {
  let received: RxTime
  let event: Event<Element>
}

extension LockedStage where State == Line<Delayed<Output>> {
  fileprivate func delay(_ event: Event<Output>, by dueTime: RxTimeInterval) {
    let delayed = Delayed(received: now, event: event)
    var isFirst = false
    send { line, status in
      isFirst = !status.isSending && line.isEmpty
      line.append(delayed)
      return nil
    }
    if isFirst { wait(dueTime, dueTime) }
  }

  /// Sends the event that is due after `rest`, and waits for the one after it.
  private func wait(_ rest: RxTimeInterval, _ dueTime: RxTimeInterval) {
    startTimer(
      after: rest, send: { line, _ in line.popFirst()?.event },
      then: { sink, _ in
        guard let next = sink.change({ $0.first }) else { return }
        sink.wait(dueTime.remaining(since: next.received, at: sink.now), dueTime)
      })
  }
}

extension Line {
  /// The elements, as a window that ends now.
  fileprivate mutating func take(_ status: inout StageStatus) -> Event<[Element]> {
    // The time must not be over while the window is being sent.
    status.stopTimer()
    defer { self = Line() }
    return .next(elements)
  }
}

extension LockedStage where Output == [Input], State == Line<Input> {
  /// Begins a window, when the receiver has handled the last one, so that empty windows do not queue before a slow
  /// receiver.
  fileprivate func startWindow(_ timeSpan: RxTimeInterval) {
    startTimer(
      after: timeSpan, send: { window, status in window.take(&status) },
      then: { sink, isSent in if isSent { sink.startWindow(timeSpan) } })
  }
}
