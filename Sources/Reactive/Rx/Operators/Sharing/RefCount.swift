extension ConnectableObservableType {
  /// A sequence that is connected while it has subscriptions (RxSwift).
  public func refCount() -> Observable<Element> {
    let counter = RefCount(source: self)
    return Observable { counter.subscribe($0) }
  }
}

/// The subscriptions that a connection is kept for. `lock` guards the variables.
private final class RefCount<Source: ConnectableObservableType>: Sendable {
  /// The state is the round of the subscription, which `lock` guards.
  private typealias Subscription = Stage<Source.Element, Source.Element, Int>

  private let source: Source
  private let lock = RecursiveLock()
  private nonisolated(unsafe) var count = 0
  // A terminal event ends a round; subscriptions of an old round no longer count.
  private nonisolated(unsafe) var round = 0
  private nonisolated(unsafe) var connection: SingleAssignmentDisposable?

  init(source: Source) {
    self.source = source
  }

  func subscribe(_ downstream: Sink<Source.Element>) -> any Disposable {
    let sink = Subscription(
      downstream, -1,
      onEnd: { sink, error in
        self.end(sink)
        sink.finish(error)
      },
      step: { sink, element in sink.send(element) })
    let subscription = source.asObservable().subscribe(sink)
    if let round = add(unless: sink) {
      sink.setUpstream(
        Disposables.create {
          subscription.dispose()
          self.remove(round)
        })
    } else {
      sink.setUpstream(subscription)
    }
    return sink
  }

  private func add(unless sink: Subscription) -> Int? {
    var starting: SingleAssignmentDisposable?
    let round: Int? = lock.withLock {
      sink.state = self.round
      if sink.isDisposed { return nil }
      count += 1
      if count == 1 {
        let connection = SingleAssignmentDisposable()
        self.connection = connection
        starting = connection
      }
      return self.round
    }
    if let starting { starting.setDisposable(source.connect()) }
    return round
  }

  // The source is let go of under the lock, as in RxSwift: it must never have two subscriptions at a time.
  private func remove(_ round: Int) {
    lock.withLock {
      guard round == self.round, count > 0 else { return }
      count -= 1
      if count == 0 { connection.take()?.dispose() }
    }
  }

  /// Ends the round of a sink that was sent a terminal event.
  private func end(_ sink: Subscription) {
    lock.withLock {
      guard sink.state == round else { return }
      count = 0
      round += 1
      connection.take()?.dispose()
    }
  }
}
