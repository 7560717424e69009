// Running completables one after the other, or at the same time, as in RxSwift.
extension PrimitiveSequence where Trait == CompletableTrait, Element == Never {
  /// When this completable is done, `second`: a single, a maybe or a completable; an error of this one ends it.
  public func andThen<Next, Result: Sendable>(
    _ second: PrimitiveSequence<Next, Result>
  ) -> PrimitiveSequence<Next, Result> {
    PrimitiveSequence<Next, Result>(raw: andThen(second.source))
  }

  /// When this completable is done, the elements of `second`; an error of this one ends it.
  public func andThen<Result: Sendable>(_ second: Observable<Result>) -> Observable<Result> {
    let first: Observable<Result> = source.stage { _, _ in }
    // Each is let go of when it begins.
    return Succession(.afterCompletion, sequence(state: [second, first]) { $0.popLast() }, count: 2).asObservable()
  }

  /// When this completable is done, `second`.
  public func concat(_ second: Completable) -> Completable { .concat(self, second) }

  /// One completable after the other; an error ends the whole. The next one is not asked for before it is its turn.
  public static func concat(_ sequence: some Sequence<Completable> & Sendable) -> Completable {
    Completable(raw: .concat(sequence) { $0.source })
  }

  /// One completable after the other; an error ends the whole.
  public static func concat(_ sources: Completable...) -> Completable { concat(sources) }

  /// All completables at a time: done when all are, failed when one has (RxSwift).
  public static func zip(_ sources: some Collection<Completable>) -> Completable {
    Completable(raw: .merge(sources.map(\.source)))
  }

  /// All completables at a time: done when all are, failed when one has.
  public static func zip(_ sources: Completable...) -> Completable { zip(sources) }
}
