extension ConnectableObservableType {
  /// A sequence that is connected while it has subscriptions (RxSwift), one connection at a time; see
  /// ``ObservableType/share(replay:scope:)``.
  public func refCount() -> Observable<Element> {
    let counter = RefCount(source: self)
    return Observable { counter.subscribe($0) }
  }
}

/// The subscriptions that a connection is kept for. The lock of `turns` guards the variables.
private final class RefCount<Source: ConnectableObservableType>: Sendable {
  /// The state is the round of the subscription, which the same lock guards.
  private typealias Subscription = Stage<Source.Element, Source.Element, Int>

  private let source: Source
  /// What to subscribe to, and its round: that of the connection, if the source tells which.
  private let current: @Sendable () -> (source: Observable<Source.Element>, round: Int?)
  private let turns = Turns()
  private nonisolated(unsafe) var count = 0
  // A terminal event ends a round, and so does the last disposal; subscriptions of an old round no longer count.
  private nonisolated(unsafe) var round = 0
  private nonisolated(unsafe) var connection: SingleAssignmentDisposable?

  init(source: Source) {
    self.source = source
    if let source = source as? ConnectableObservable<Source.Element> {
      current = source.current
    } else {
      current = { (source.asObservable(), nil) }
    }
  }

  func subscribe(_ downstream: Sink<Source.Element>) -> any Disposable {
    let sink = Subscription(
      downstream, -1,
      onEnd: { sink, error in
        self.end(sink)
        sink.finish(error)
      },
      step: { sink, element in sink.send(element) })
    // It counts before it is subscribed, so that the connection is not ended meanwhile.
    turns.begin(
      counting: {
        self.count += 1
        sink.state = self.round
      }, { self.start(sink) })
    return sink
  }

  private func start(_ sink: Subscription) {
    let first = sink.state
    if sink.isDisposed { return remove(first) }
    let (source, current) = current()
    let (round, ended) = turns.withLock { () -> (Int, SingleAssignmentDisposable?) in
      let round = current ?? self.round
      sink.state = round
      var ended: SingleAssignmentDisposable?
      if round > self.round {
        // The connection has ended, and its event is on its way to the others.
        (count, self.round, ended) = (1, round, connection.take())
      } else if round == self.round, round != first {
        count += 1
      }
      return (round, ended)
    }
    // It goes away outside of the lock.
    extendLifetime(ended)
    let subscription = source.subscribe(sink)
    sink.setUpstream(
      Disposables.create {
        subscription.dispose()
        self.remove(round)
      })
    let starting = turns.withLock { () -> SingleAssignmentDisposable? in
      guard round == self.round, count > 0, connection == nil else { return nil }
      connection = SingleAssignmentDisposable()
      return connection
    }
    if let starting { starting.setDisposable(self.source.connect()) }
  }

  private func remove(_ round: Int) {
    turns.end {
      guard round == self.round, count > 0 else { return nil }
      count -= 1
      guard count == 0, let connection = connection.take() else { return nil }
      // Whoever waits for the end of the connection counts in the next round.
      self.round += 1
      return connection
    }
  }

  /// Ends the round of a sink that was sent a terminal event.
  private func end(_ sink: Subscription) {
    turns.end {
      guard sink.state == round else { return nil }
      count = 0
      round += 1
      return connection.take()
    }
  }
}

/// The turns of a source that has one subscription at a time, and the lock of whoever counts the users of that.
///
/// No lock is held while the source is subscribed to or disposed of. Once a subscription is being disposed of, those that
/// are to begin wait until nothing is under way any more: the disposal, and a beginning that the disposal came too early
/// for. They begin on the thread that was the last one busy.
final class Turns: Sendable {
  private struct State: Sendable {
    /// How many beginnings and disposals are under way.
    var busy = 0
    var isEnding = false
    var waiting: [Beginning] = []
  }

  private struct Beginning: Sendable {
    let count, subscribe: @Sendable () -> Void
  }

  private let state = Locked(State())

  func withLock<Result>(_ body: () -> Result) -> Result { state.withLock { _ in body() } }

  /// Calls `subscribe` when no subscription is being disposed of. Calls `count` before, under the lock, and from then on
  /// `end` takes no subscription that the beginning one counts for.
  func begin(counting count: @escaping @Sendable () -> Void = {}, _ subscribe: @escaping @Sendable () -> Void) {
    let waits = state.withLock { state in
      if state.isEnding {
        state.waiting.append(Beginning(count: count, subscribe: subscribe))
      } else {
        state.busy += 1
        count()
      }
      return state.isEnding
    }
    if !waits { run([subscribe]) }
  }

  /// Disposes of the subscription that `take` returns, which is called under the lock.
  func end(_ take: () -> (any Disposable)?) {
    let subscription = state.withLock { state in
      let subscription = take()
      if subscription != nil {
        state.busy += 1
        state.isEnding = true
      }
      return subscription
    }
    guard let subscription else { return }
    run([{ subscription.dispose() }])
  }

  private func run(_ steps: [@Sendable () -> Void]) {
    var steps = steps
    while !steps.isEmpty {
      steps.removeFirst()()
      steps += state.withLock { state -> [@Sendable () -> Void] in
        state.busy -= 1
        guard state.busy == 0 else { return [] }
        state.isEnding = false
        state.busy = state.waiting.count
        defer { state.waiting = [] }
        return state.waiting.map { beginning in
          beginning.count()
          return beginning.subscribe
        }
      }
    }
  }
}
