extension ConnectableObservableType {
  /// A sequence that is connected while it has subscriptions (RxSwift's `refCount`).
  public func refCount() -> Observable<Element> {
    RefCount(source: self)
  }
}

/// `@unchecked Sendable`: `count`, `round` and `connection` are guarded by `lock`.
private final class RefCount<Source: ConnectableObservableType>: Producer<Source.Element>, @unchecked Sendable {
  private let source: Source
  private let lock = RecursiveLock()
  private var count = 0
  // A terminal event ends a round; subscriptions of an old round no longer count.
  private var round = 0
  private var connection: SingleAssignmentDisposable?

  init(source: Source) {
    self.source = source
  }

  override func run(_ downstream: Sink<Source.Element>) -> any Disposable {
    let sink = RefCountSink(downstream, parent: self)
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

  private func add(unless sink: RefCountSink<Source>) -> Int? {
    var starting: SingleAssignmentDisposable?
    let round: Int? = lock.withLock {
      sink.round = self.round
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
  fileprivate func end(_ sink: RefCountSink<Source>) {
    lock.withLock {
      guard sink.round == round else { return }
      count = 0
      round += 1
      connection.take()?.dispose()
    }
  }
}

/// `@unchecked Sendable`: the parent's lock guards `round`.
private final class RefCountSink<Source: ConnectableObservableType>: OperatorSink<Source.Element, Source.Element>,
  @unchecked Sendable
{
  private let parent: RefCount<Source>
  fileprivate var round = -1

  init(_ downstream: Sink<Source.Element>, parent: RefCount<Source>) {
    self.parent = parent
    super.init(downstream)
  }

  override func next(_ element: Source.Element) {
    downstream.next(element)
  }

  override func error(_ error: any Error) {
    parent.end(self)
    finish(error)
  }

  override func completed() {
    parent.end(self)
    finish()
  }
}
