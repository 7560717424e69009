extension ObservableType {
  /// Merges the sequences that `selector` makes of the elements; its error ends the sequence (RxSwift).
  public func flatMap<Source: ObservableConvertibleType>(
    _ selector: @escaping @Sendable (Element) throws -> Source
  ) -> Observable<Source.Element> {
    mergeMap(selector)
  }

  /// Like `flatMap`, but ignores elements while the sequence of an earlier one goes on (RxSwift).
  public func flatMapFirst<Source: ObservableConvertibleType>(
    _ selector: @escaping @Sendable (Element) throws -> Source
  ) -> Observable<Source.Element> {
    mergeMap(limit: 1, excess: .isDropped, selector)
  }

  /// Like `flatMap`, but each sequence is subscribed to when the one before it has completed (RxSwift).
  public func concatMap<Source: ObservableConvertibleType>(
    _ selector: @escaping @Sendable (Element) throws -> Source
  ) -> Observable<Source.Element> {
    mergeMap(limit: 1, selector)
  }

  func mergeMap<Source: ObservableConvertibleType>(
    limit: Int = .max, excess: Excess = .waits,
    _ selector: @escaping @Sendable (Element) throws -> Source
  ) -> Observable<Source.Element> {
    let source = asObservable()
    return Observable { downstream in
      let merge = Merge<Source.Element>(limit: limit)
      let stage = LockedStage<Element, Source.Element, MergeState<Source.Element>>(
        downstream, MergeState(),
        onCompleted: { merge.sourceCompleted($0) },
        onNext: { stage, element in
          let startsNow = stage.change { $0.startsNow(limit) }
          if !startsNow, excess == .isDropped || limit <= 0 { return }
          let sequence = try selector(element).asObservable()
          if startsNow { return merge.subscribe(stage, to: sequence) }
          stage.change { $0.waiting.append(sequence) }
          merge.startWaiting(stage)
        })
      merge.source.setDisposable(source.subscribe(stage))
      stage.setUpstream(merge.subscriptions)
      return stage
    }
  }

  /// The elements of all `sources`, as they come. Completes when all have; an error of one ends it (RxSwift).
  public static func merge<Sources: Collection>(_ sources: Sources) -> Observable<Element>
  where Sources.Element == Observable<Element> {
    let sources = Array(sources)
    return Observable { downstream in
      let merge = Merge<Element>(limit: .max)
      let state = MergeState<Element>(active: sources.count)
      let stage = LockedStage<Never, Element, MergeState<Element>>(downstream, state) { _, _ in }
      for source in sources where !stage.isCut { merge.subscribe(stage, to: source) }
      merge.sourceCompleted(stage)
      stage.closeSource()
      stage.setUpstream(merge.subscriptions)
      return stage
    }
  }

  /// The elements of all `sources`, as they come. Completes when all have; an error of one ends it (RxSwift).
  public static func merge(_ sources: Observable<Element>...) -> Observable<Element> { merge(sources) }
}

extension ObservableType where Element: ObservableConvertibleType {
  /// The elements of all sequences that this one sends, of `maxConcurrent` at a time: the others wait for their turn
  /// (RxSwift). If that is not positive, no sequence is subscribed to.
  public func merge(maxConcurrent: Int = .max) -> Observable<Element.Element> { mergeMap(limit: maxConcurrent) { $0 } }

  /// The elements of all sequences that this one sends, one sequence after the other (RxSwift).
  public func concat() -> Observable<Element.Element> { merge(maxConcurrent: 1) }
}

/// What happens to an element that comes while the number of inner sequences is at its limit.
enum Excess {
  /// Its sequence waits for its turn.
  case waits
  /// It is ignored.
  case isDropped
}

private struct MergeState<Output: Sendable>: Sendable {
  /// How many inner sequences go on.
  var active = 0
  var waiting = Line<Observable<Output>>()
  var isStartingWaiting = false
  var isSourceDone = false

  /// Counts one more sequence, if there is room and none waits: those that wait go first, even when one of them is just
  /// about to start.
  mutating func startsNow(_ limit: Int) -> Bool {
    guard active < limit, waiting.isEmpty else { return false }
    active += 1
    return true
  }

  /// Counts one sequence less. Returns whether another one may start, or the whole has ended.
  mutating func endsOne() -> Bool {
    active -= 1
    return !waiting.isEmpty || isSourceDone && active == 0
  }

  /// Whether the caller is the one to start the sequences that wait.
  mutating func beginsStarting() -> Bool {
    defer { isStartingWaiting = true }
    return !isStartingWaiting
  }

  /// The next one of the sequences that wait, if there is room.
  mutating func takeWaiting(_ limit: Int) -> Observable<Output>? {
    guard active < limit, let next = waiting.popFirst() else {
      isStartingWaiting = false
      return nil
    }
    active += 1
    return next
  }
}

/// The inner subscriptions of `merge`, `concat`, `flatMap`, `flatMapFirst` and `concatMap`: up to a number at a time.
private final class Merge<Output: Sendable>: Sendable {
  typealias Stage<Input: Sendable> = LockedStage<Input, Output, MergeState<Output>>

  let source = SingleAssignmentDisposable()
  let subscriptions: CompositeDisposable
  private let limit: Int

  init(limit: Int) {
    self.limit = limit
    subscriptions = CompositeDisposable(disposables: [source])
  }

  func sourceCompleted<Input>(_ stage: Stage<Input>) {
    stage.change { $0.isSourceDone = true }
    source.dispose()
    endIfIdle(stage)
  }

  func subscribe<Input>(_ stage: Stage<Input>, to sequence: Observable<Output>) {
    let key = subscriptions.reserve()
    let inner = InnerSink<Output>(beside: stage) { element in
      stage.send(element)
    } onEnd: { error in
      if let error { return stage.sendEnd(error) }
      self.subscriptions.remove(for: key)
      if stage.change({ $0.endsOne() }) { self.startWaiting(stage) }
    }
    if subscriptions.insert(inner, for: key) { inner.setUpstream(sequence.subscribe(inner)) }
  }

  /// Starts the sequences that wait, as many as the limit allows. Does not recurse when one ends at once.
  func startWaiting<Input>(_ stage: Stage<Input>) {
    guard stage.change({ $0.beginsStarting() }) else { return }
    while !stage.isCut, let sequence = stage.change({ $0.takeWaiting(limit) }) { subscribe(stage, to: sequence) }
    endIfIdle(stage)
  }

  private func endIfIdle<Input>(_ stage: Stage<Input>) {
    stage.send { state, _ in
      state.isSourceDone && state.active == 0 && state.waiting.isEmpty ? .completed : nil
    }
  }
}

extension ObservableType {
  /// `elements`, sent on subscription, and then this sequence (RxSwift).
  public func startWith(_ elements: Element...) -> Observable<Element> {
    let source = asObservable()
    return Observable { downstream in
      for element in elements where !downstream.isCut { downstream.next(element) }
      return downstream.isCut ? Disposables.create() : source.subscribe(downstream)
    }
  }

  /// This sequence, and when it has completed, `second` (RxSwift).
  public func concat<Source: ObservableConvertibleType>(_ second: Source) -> Observable<Element>
  where Source.Element == Element { .concat([asObservable(), second.asObservable()]) }

  /// One sequence after the other; the next one is asked for when the one before has completed (RxSwift).
  public static func concat<Sources: Sequence & Sendable>(_ sequence: Sources) -> Observable<Element>
  where Sources.Element == Observable<Element> { concat(sequence) { $0 } }

  /// The `observable`s of `sequences`, one after the other.
  package static func concat<Sources: Sequence & Sendable>(
    _ sequences: Sources, _ observable: @escaping @Sendable (Sources.Element) -> Observable<Element>
  ) -> Observable<Element> {
    let count = (sequences as? any Collection)?.count
    return Succession(.afterCompletion, sequences.lazy.map(observable), count: count).asObservable()
  }

  /// One sequence after the other, each when the one before has completed (RxSwift).
  public static func concat(_ sources: Observable<Element>...) -> Observable<Element> { concat(sources) }
}
