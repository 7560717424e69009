/// How long the subject of ``ObservableType/share(replay:scope:)`` lives (RxSwift's `SubjectLifetimeScope`).
public enum SubjectLifetimeScope: Sendable {
  /// Each connection has a subject of its own: when the last subscription goes, or the source ends, what was replayed
  /// is forgotten, and the next subscription starts the source again. The right choice almost always.
  case whileConnected

  /// One subject for ever: a new subscription receives the elements that an earlier connection left, and the end if the
  /// source has ended.
  case forever
}

extension ObservableType {
  /// A sequence that shares one subscription to this one among all its subscriptions, and sends the last `replay`
  /// elements to each new one (RxSwift's `share`).
  ///
  /// It subscribes to the source with its first subscription and disposes that subscription with its last.
  public func share(replay: Int = 0, scope: SubjectLifetimeScope = .whileConnected) -> Observable<Element> {
    switch (scope, replay) {
    case (.forever, 0): multicast(PublishSubject()).refCount()
    case (.forever, _): multicast(ReplaySubject.create(bufferSize: replay)).refCount()
    case (.whileConnected, _): Share(source: asObservable(), replay: max(replay, 0))
    }
  }
}

/// `@unchecked Sendable`: `connection` and the counts of the connections are guarded by `lock`.
private final class Share<Element: Sendable>: Observable<Element>, @unchecked Sendable {
  private let source: Observable<Element>
  private let replay: Int
  private let lock = RecursiveLock()
  private var connection: ShareConnection<Element>?

  init(source: Observable<Element>, replay: Int) {
    self.source = source
    self.replay = replay
  }

  override func subscribe(_ sink: Sink<Element>) -> any Disposable {
    let (connection, isNew) = lock.withLock { () -> (ShareConnection<Element>, Bool) in
      if let connection = self.connection {
        connection.count += 1
        return (connection, false)
      }
      let connection = ShareConnection(parent: self, lock, replay: replay)
      self.connection = connection
      return (connection, true)
    }
    let subscription = connection.core.subscribe(sink)
    if isNew { connection.setUpstream(source.subscribe(connection)) }
    return Disposables.create {
      subscription.dispose()
      connection.leave()
    }
  }

  fileprivate func forget(_ ended: ShareConnection<Element>) {
    lock.withLock {
      if connection === ended { connection = nil }
    }
  }
}

/// One subscription to the source, and the sinks that share it. It does not hold the source, so that a subject may go.
///
/// `@unchecked Sendable`: `lock`, the parent's, guards `count`; `core` has a lock of its own.
private final class ShareConnection<Element: Sendable>: Sink<Element>, @unchecked Sendable {
  let core: SubjectCore<Element>
  var count = 1
  private weak let parent: Share<Element>?
  private let lock: RecursiveLock

  init(parent: Share<Element>, _ lock: RecursiveLock, replay: Int) {
    self.parent = parent
    self.lock = lock
    core = SubjectCore(replay: replay, replaysAfterEnd: true)
  }

  override func next(_ element: Element) {
    if !isDisposed { core.next(element) }
  }

  // As in RxSwift the connection is gone before the event is sent, so that a new subscription made on that event starts anew.
  override func error(_ error: any Error) {
    guard !isDisposed else { return }
    dispose()
    core.end(.error(error))
  }

  override func completed() {
    guard !isDisposed else { return }
    dispose()
    core.end(.completed)
  }

  override func sourceGone() {
    core.dispose(isGone: true)
    release()
  }

  override func didDispose() {
    parent?.forget(self)
  }

  // The source is disposed under the lock, as in RxSwift: it must never have two subscriptions at a time.
  func leave() {
    lock.withLock {
      count -= 1
      if count == 0 { dispose() }
    }
  }
}
