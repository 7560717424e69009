extension ObservableType {
  /// `initialState`, `iterate` of it, and so on while `condition` holds. An error of either ends the sequence
  /// (RxSwift).
  public static func generate(
    initialState: Element, condition: @escaping @Sendable (Element) throws -> Bool,
    scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance,
    iterate: @escaping @Sendable (Element) throws -> Element
  ) -> Observable<Element> {
    generate(on: scheduler) {
      var last: Element?
      return {
        let element = try last.map(iterate) ?? initialState
        last = element
        return try condition(element) ? element : nil
      }
    }
  }

  /// `element`, again and again (RxSwift).
  public static func repeatElement(
    _ element: Element, scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
  ) -> Observable<Element> {
    generate(on: scheduler) { { element } }
  }

  /// Sends what the function that `begin` makes for a subscription returns, each element in a step of its own on a
  /// scheduler, so that sources take turns. `nil` completes the sequence.
  static func generate(
    on scheduler: any ImmediateSchedulerType, _ begin: @escaping @Sendable () -> () throws -> Element?
  ) -> Observable<Element> {
    Observable { downstream in
      // The steps that call it run one after the other, each scheduled by the one before it.
      nonisolated(unsafe) let next = begin()
      let sink = OperatorSink<Element, Element>(downstream)
      sink.setUpstream(
        scheduler.scheduleRecursive(()) { _, recurse in
          if sink.isDisposed { return }
          do {
            guard let element = try next() else { return sink.finish() }
            downstream.next(element)
            recurse(())
          } catch {
            sink.finish(error)
          }
        })
      return sink
    }
  }
}

extension ObservableType where Element: RxAbstractInteger {
  /// `count` integers from `start` on; none if `count` is not positive. Fails with ``RxError/overflow`` when the last
  /// one is no `Element` (RxSwift's `range`, which traps in both cases).
  public static func range(
    start: Element, count: Element, scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
  ) -> Observable<Element> {
    guard count > 0 else { return .from([], scheduler: scheduler) }
    let (last, overflows) = start.addingReportingOverflow(count - 1)
    return overflows ? .error(RxError.overflow) : .from(start...last, scheduler: scheduler)
  }
}
