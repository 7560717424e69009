/// How long the subject of ``ObservableType/share(replay:scope:)`` lives (RxSwift).
public enum SubjectLifetimeScope: Sendable {
  /// Each connection has a subject of its own: when the last subscription goes, or the source ends, what was replayed
  /// is forgotten, and the next subscription starts the source again. The right choice almost always.
  case whileConnected

  /// One subject for ever: a new subscription receives the elements of earlier connections, and the end of the source.
  case forever
}

extension ObservableType {
  /// Shares one subscription to this sequence, and sends the last `replay` elements to each new subscriber (RxSwift).
  ///
  /// It subscribes to the source with its first subscription and disposes that subscription with its last. The source has
  /// one subscription at a time: one that another thread makes while the last one is being disposed of begins after
  /// that. So a teardown must not wait for it (in RxSwift it begins at once).
  public func share(replay: Int = 0, scope: SubjectLifetimeScope = .whileConnected) -> Observable<Element> {
    switch (scope, replay) {
    case (.forever, 0): multicast(PublishSubject()).refCount()
    case (.forever, _): multicast(ReplaySubject.create(bufferSize: replay)).refCount()
    case (.whileConnected, _): Share(source: asObservable(), replay: max(replay, 0)).asObservable()
    }
  }
}

/// One subscription to the source at a time. The lock of `turns` guards the variables, those of the connections too.
private final class Share<Element: Sendable>: Sendable {
  private let source: Observable<Element>
  private let replay: Int
  private let turns = Turns()
  private nonisolated(unsafe) var connection: ShareConnection<Element>?

  init(source: Observable<Element>, replay: Int) {
    self.source = source
    self.replay = replay
  }

  func asObservable() -> Observable<Element> { Observable(isImmediate: true) { self.subscribe($0) } }

  private func subscribe(_ sink: Sink<Element>) -> any Disposable {
    var isNew = false
    let connection = turns.withLock {
      if let current = self.connection, current.count > 0 {
        current.count += 1
        return current
      }
      isNew = true
      let new = ShareConnection(parent: self, turns, replay: replay)
      self.connection = new
      return new
    }
    let subscription = connection.core.subscribe(sink)
    if isNew {
      turns.begin { [source, sink = connection.sink] in
        if !sink.isDisposed { sink.setUpstream(source.subscribe(sink)) }
      }
    }
    return Disposables.create {
      subscription.dispose()
      connection.leave()
    }
  }

  fileprivate func forget(_ ended: ClosureSink<Element>) {
    turns.withLock {
      if connection?.sink === ended { connection = nil }
    }
  }
}

/// One subscription to the source, and the sinks that share it. It does not hold the source, so that a subject may go.
private final class ShareConnection<Element: Sendable>: Sendable {
  let core: SubjectCore<Element>
  let sink: ClosureSink<Element>
  /// How many sinks there are; 0 when the last one has left.
  nonisolated(unsafe) var count = 1
  private let turns: Turns

  init(parent: Share<Element>, _ turns: Turns, replay: Int) {
    let core = SubjectCore<Element>(replay: replay, replaysAfterEnd: true)
    self.core = core
    self.turns = turns
    sink = ClosureSink(
      onNext: { if !$0.isDisposed { core.next($1) } },
      onEnd: { sink, error in
        guard !sink.isDisposed else { return }
        // As in RxSwift, before the event is sent, so that a new subscription made on that event starts anew.
        sink.dispose()
        core.end(Event(end: error))
      },
      onGone: { sink in
        core.dispose(isGone: true)
        sink.release()
      },
      onDispose: { [weak parent] sink in parent?.forget(sink) })
  }

  func leave() {
    turns.end {
      count -= 1
      return count == 0 ? sink : nil
    }
  }
}
