public import Rx

// The operators that all sequences of the main actor have. Each works on the ordinary sequence, and the strategy shares
// the result. A closure may throw where the sequence may fail; its error ends the sequence.
extension MainSequenceType {
  // MARK: Elements

  /// The elements, each turned into what `transform` makes of it.
  public func map<Result: Sendable>(
    _ transform: @escaping @MainActor (Element) throws(SharingStrategy.Failure) -> Result
  ) -> MainSequence<SharingStrategy, Result> {
    MainSequence(source.map(onMainActor(transform)))
  }

  /// The elements, each turned into what `transform` makes of it; those for which that is `nil` are left out.
  public func compactMap<Result: Sendable>(
    _ transform: @escaping @MainActor (Element) throws(SharingStrategy.Failure) -> Result?
  ) -> MainSequence<SharingStrategy, Result> {
    MainSequence(source.compactMap(onMainActor(transform)))
  }

  /// The elements that `predicate` accepts.
  public func filter(
    _ predicate: @escaping @MainActor (Element) throws(SharingStrategy.Failure) -> Bool
  ) -> MainSequence<SharingStrategy, Element> {
    MainSequence(source.filter(onMainActor(predicate)))
  }

  /// The results of `accumulator` for `seed` and the elements so far.
  public func scan<Accumulated: Sendable>(
    _ seed: Accumulated,
    accumulator: @escaping @MainActor (Accumulated, Element) throws(SharingStrategy.Failure) -> Accumulated
  ) -> MainSequence<SharingStrategy, Accumulated> {
    MainSequence(source.scan(seed, accumulator: onMainActor(accumulator)))
  }

  /// The elements but the first `count`.
  public func skip(_ count: Int) -> MainSequence<SharingStrategy, Element> {
    MainSequence(source.skip(count))
  }

  /// `elements`, then the elements of this sequence.
  public func startWith(_ elements: Element...) -> MainSequence<SharingStrategy, Element> {
    MainSequence(elements.reversed().reduce(source) { $0.startWith($1) })
  }

  /// The same elements; every event, subscription and disposal is printed on standard output.
  public func debug(
    _ identifier: String? = nil, trimOutput: Bool = false, file: String = #file, line: UInt = #line,
    function: String = #function
  ) -> MainSequence<SharingStrategy, Element> {
    MainSequence(source.debug(identifier, trimOutput: trimOutput, file: file, line: line, function: function))
  }

  // MARK: Repetitions

  /// The elements whose key differs from that of the one before them.
  public func distinctUntilChanged<Key: Equatable & Sendable>(
    _ keySelector: @escaping @MainActor (Element) throws(SharingStrategy.Failure) -> Key
  ) -> MainSequence<SharingStrategy, Element> {
    MainSequence(source.distinctUntilChanged(onMainActor(keySelector)))
  }

  /// The elements that `comparer` does not find equal to the one before them.
  public func distinctUntilChanged(
    _ comparer: @escaping @MainActor (Element, Element) throws(SharingStrategy.Failure) -> Bool
  ) -> MainSequence<SharingStrategy, Element> {
    MainSequence(source.distinctUntilChanged(onMainActor(comparer)))
  }

  /// The elements whose key `comparer` finds different from that of the one before them.
  public func distinctUntilChanged<Key: Sendable>(
    _ keySelector: @escaping @MainActor (Element) throws(SharingStrategy.Failure) -> Key,
    comparer: @escaping @MainActor (Key, Key) throws(SharingStrategy.Failure) -> Bool
  ) -> MainSequence<SharingStrategy, Element> {
    MainSequence(source.distinctUntilChanged(onMainActor(keySelector), comparer: onMainActor(comparer)))
  }
}

extension MainSequenceType where Element: Equatable {
  /// The elements that differ from the one before them.
  public func distinctUntilChanged() -> MainSequence<SharingStrategy, Element> {
    MainSequence(source.distinctUntilChanged())
  }
}
