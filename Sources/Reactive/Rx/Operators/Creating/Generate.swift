extension ObservableType {
  /// `initialState`, `iterate` of it, and so on while `condition` holds. An error of either ends the sequence
  /// (RxSwift).
  public static func generate(
    initialState: Element, condition: @escaping @Sendable (Element) throws -> Bool,
    scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance,
    iterate: @escaping @Sendable (Element) throws -> Element
  ) -> Observable<Element> {
    unfold((initialState, true), on: scheduler) { (state: inout (element: Element, isFirst: Bool)) in
      if !state.isFirst { state.element = try iterate(state.element) }
      state.isFirst = false
      return try condition(state.element) ? state.element : nil
    }
  }

  /// `element`, again and again (RxSwift).
  public static func repeatElement(
    _ element: Element, scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
  ) -> Observable<Element> {
    unfold((), on: scheduler) { _ in element }
  }

  /// Sends what `next` makes of the state, each element in a step of its own on a scheduler, until it is `nil`.
  private static func unfold<State: Sendable>(
    _ seed: State, on scheduler: any ImmediateSchedulerType,
    next: @escaping @Sendable (inout State) throws -> Element?
  ) -> Observable<Element> {
    Observable { downstream in
      let sink = OperatorSink<Element, Element>(downstream)
      sink.setUpstream(
        scheduler.scheduleRecursive(seed) { state, recurse in
          if sink.isDisposed { return }
          do {
            var state = state
            guard let element = try next(&state) else { return sink.finish() }
            downstream.next(element)
            recurse(state)
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
