extension ObservableType {
  /// Merges the sequences that `selector` makes of the elements; what it throws ends the sequence (RxSwift's
  /// `flatMap`).
  public func flatMap<Source: ObservableConvertibleType>(
    _ selector: @escaping @Sendable (Element) throws -> Source
  ) -> Observable<Source.Element> {
    mergeMap(selector)
  }

  /// Like `flatMap`, but ignores elements while the sequence of an earlier one goes on (RxSwift's
  /// `flatMapFirst`).
  public func flatMapFirst<Source: ObservableConvertibleType>(
    _ selector: @escaping @Sendable (Element) throws -> Source
  ) -> Observable<Source.Element> {
    mergeMap(limit: 1, excess: .isDropped, selector)
  }

  /// Like `flatMap`, but one after the other: a sequence is subscribed to when the one before it has
  /// completed (RxSwift's `concatMap`).
  public func concatMap<Source: ObservableConvertibleType>(
    _ selector: @escaping @Sendable (Element) throws -> Source
  ) -> Observable<Source.Element> {
    mergeMap(limit: 1, selector)
  }

  func mergeMap<Source: ObservableConvertibleType>(
    limit: Int = .max, excess: MergeSink<Element, Source.Element>.Excess = .waits,
    _ selector: @escaping @Sendable (Element) throws -> Source
  ) -> Observable<Source.Element> {
    let source = asObservable()
    return Producer { downstream in
      MergeSink(downstream, limit: limit, excess: excess) { try selector($0).asObservable() }.connect(source)
    }
  }
}

extension ObservableType {
  /// The elements of all `sources`, as they come. Completes when all have; an error of one ends it (RxSwift's
  /// `merge`).
  public static func merge<Sources: Collection>(_ sources: Sources) -> Observable<Element>
  where Sources.Element == Observable<Element> {
    let sources = Array(sources)
    return Producer { downstream in
      MergeSink<Observable<Element>, Element>(downstream) { $0 }.connect(all: sources)
    }
  }

  /// The elements of all `sources`, as they come. Completes when all have; an error of one ends it (RxSwift's
  /// `merge`).
  public static func merge(_ sources: Observable<Element>...) -> Observable<Element> {
    merge(sources)
  }
}

extension ObservableType where Element: ObservableConvertibleType {
  /// The elements of all sequences that this one sends, as they come (RxSwift's `merge`).
  public func merge() -> Observable<Element.Element> {
    mergeMap { $0 }
  }

  /// The elements of all sequences that this one sends, of `maxConcurrent` at a time: the others wait for their turn
  /// (RxSwift's `merge(maxConcurrent:)`). If that is not positive, no sequence is subscribed to.
  public func merge(maxConcurrent: Int) -> Observable<Element.Element> {
    mergeMap(limit: maxConcurrent) { $0 }
  }

  /// The elements of all sequences that this one sends, one sequence after the other (RxSwift's `concat`).
  public func concat() -> Observable<Element.Element> {
    merge(maxConcurrent: 1)
  }
}

/// Subscribes to the sequences that it makes of its source's elements, up to a number at a time, and passes on what
/// they send: `merge`, `concat`, `flatMap`, `flatMapFirst` and `concatMap` in one.
///
/// `@unchecked Sendable`: `lock` guards `active`, `waiting`, `isStartingWaiting` and `isSourceDone`.
final class MergeSink<Input: Sendable, Output: Sendable>: LockedSink<Input, Output>, @unchecked Sendable {
  /// What happens to an element that comes while the number of inner sequences is at its limit.
  enum Excess {
    /// Its sequence waits for its turn.
    case waits
    /// It is ignored.
    case isDropped
  }

  typealias Selector = @Sendable (Input) throws -> Observable<Output>

  private let selector: Selector
  private let limit: Int
  private let excess: Excess
  private let subscriptions = CompositeDisposable()
  private let sourceSubscription = SingleAssignmentDisposable()
  private var active = 0
  private var waiting = Queue<Observable<Output>>()
  private var isStartingWaiting = false
  private var isSourceDone = false

  init(_ downstream: Sink<Output>, limit: Int = .max, excess: Excess = .waits, selector: @escaping Selector) {
    self.selector = selector
    self.limit = limit
    self.excess = limit > 0 ? excess : .isDropped
    super.init(downstream)
    _ = subscriptions.insert(sourceSubscription)
  }

  /// Merges what `source` makes.
  func connect(_ source: Observable<Input>) -> Self {
    sourceSubscription.setDisposable(source.subscribe(self))
    setUpstream(subscriptions)
    return self
  }

  /// Merges `sources`, all at a time.
  func connect(all sources: [Observable<Output>]) -> Self {
    active = sources.count
    for source in sources {
      subscribe(source)
    }
    completed()
    setUpstream(subscriptions)
    return self
  }

  override func receive(_ element: Input) {
    // The lock is not held while subscribing: other inner sequences may go on.
    if let sequence = admit(element) { unlocked { subscribe(sequence) } }
  }

  override func receiveCompleted() {
    isSourceDone = true
    sourceSubscription.dispose()
    finishIfIdle()
  }

  /// The sequence to subscribe to because of `element`, if any.
  private func admit(_ element: Input) -> Observable<Output>? {
    // Sequences that wait go first, even when one of them is just about to start.
    let startsNow = active < limit && waiting.isEmpty
    if !startsNow, excess == .isDropped { return nil }
    if startsNow { active += 1 }
    do {
      let sequence = try selector(element)
      if startsNow { return sequence }
      waiting.append(sequence)
    } catch {
      finish(error)
    }
    return nil
  }

  private func subscribe(_ sequence: Observable<Output>) {
    let subscription = SingleAssignmentDisposable()
    guard let key = subscriptions.insert(subscription) else { return }
    let inner = SideSink<Output> { self.receive($0, from: key) }
    subscription.setDisposable(inner)
    inner.setUpstream(sequence.subscribe(inner))
  }

  private func receive(_ event: Event<Output>, from key: CompositeDisposable.DisposeKey) {
    switch event {
    case .next(let element):
      locked { downstream.next(element) }
    case .error(let error):
      self.error(error)
    case .completed:
      subscriptions.remove(for: key)
      innerCompleted()
    }
  }

  /// An inner sequence has ended: starts the next one that waits. Does not recurse when that ends at once.
  private func innerCompleted() {
    var next = lock.withLock {
      active -= 1
      return isStartingWaiting ? nil : nextWaiting()
    }
    while let sequence = next {
      subscribe(sequence)
      next = lock.withLock { nextWaiting() }
    }
  }

  private func nextWaiting() -> Observable<Output>? {
    if !isDisposed, active < limit, let sequence = waiting.popFirst() {
      active += 1
      isStartingWaiting = true
      return sequence
    }
    isStartingWaiting = false
    finishIfIdle()
    return nil
  }

  private func finishIfIdle() {
    if !isDisposed, isSourceDone, active == 0, waiting.isEmpty { finish() }
  }
}
