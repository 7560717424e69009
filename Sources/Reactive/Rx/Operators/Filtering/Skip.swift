extension ObservableType {
  /// All elements but the first `count` (RxSwift's `skip(_:)`).
  public func skip(_ count: Int) -> Observable<Element> {
    stage(count) { stage, element in
      if stage.state > 0 { stage.state -= 1 } else { stage.send(element) }
    }
  }

  /// All elements from the first that does not satisfy `predicate`; what it throws ends the sequence (RxSwift's
  /// `skip(while:)`).
  public func skip(while predicate: @escaping @Sendable (Element) throws -> Bool) -> Observable<Element> {
    stage(true) { stage, element in
      if stage.state, try predicate(element) { return }
      stage.state = false
      stage.send(element)
    }
  }

  /// The elements that come after the first element of `other`. An error of `other` ends the sequence (RxSwift's
  /// `skip(until:)`). If this sequence completes before `other` has sent an element, the result ends without an event,
  /// as in RxSwift.
  public func skip<Source: ObservableType>(until other: Source) -> Observable<Element> {
    let (source, other) = (asObservable(), other.asObservable())
    return OperatorProducer { downstream in
      let sink = SkipUntilSink(downstream)
      let sourceSubscription = source.subscribe(sink)
      let otherSubscription = SingleAssignmentDisposable()
      otherSubscription.setDisposable(
        sink.observe(other) { event in
          switch event {
          case .next:
            sink.open()
            otherSubscription.dispose()
          case .error(let error):
            sink.finish(error)
          case .completed:
            break
          }
        })
      // Not the sink itself: when it ends without an event, nothing else would part it from what is downstream.
      let subscription = Disposables.create(
        sourceSubscription, otherSubscription, Disposables.create(with: sink.dispose))
      sink.setUpstream(subscription)
      return subscription
    }
  }
}

/// `@unchecked Sendable`: see ``LockedSink``.
private final class SkipUntilSink<Element: Sendable>: LockedSink<Element, Element>, @unchecked Sendable {
  private var isOpen = false

  func open() {
    locked { isOpen = true }
  }

  override func receive(_ element: Element) {
    if isOpen { downstream.next(element) }
  }

  override func receiveCompleted() {
    if isOpen { finish() } else { dispose() }
  }
}
