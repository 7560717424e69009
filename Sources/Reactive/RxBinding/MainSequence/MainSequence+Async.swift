public import Rx

// The operators that make a sequence of each element, with an asynchronous function of the main actor in the place of the
// sequence. Each call runs in a task of its own, which is cancelled with the subscription.
extension MainSequenceType {
  /// The results of `transform` for the elements, in the order in which they are there.
  @_disfavoredOverload
  public func flatMap<Result: Sendable>(
    _ transform: @escaping @MainActor (Element) async throws(SharingStrategy.Failure) -> Result
  ) -> MainSequence<SharingStrategy, Result> {
    MainSequence(moving: source.flatMap(task(transform)))
  }

  /// Like the asynchronous `flatMap`, but ignores elements while the task of an earlier one runs.
  @_disfavoredOverload
  public func flatMapFirst<Result: Sendable>(
    _ transform: @escaping @MainActor (Element) async throws(SharingStrategy.Failure) -> Result
  ) -> MainSequence<SharingStrategy, Result> {
    MainSequence(moving: source.flatMapFirst(task(transform)))
  }

  /// The result of `transform` for the latest element. A new element cancels the task of the one before it.
  @_disfavoredOverload
  public func flatMapLatest<Result: Sendable>(
    _ transform: @escaping @MainActor (Element) async throws(SharingStrategy.Failure) -> Result
  ) -> MainSequence<SharingStrategy, Result> {
    MainSequence(moving: source.flatMapLatest(task(transform)))
  }

  /// The results of `transform` for the elements, in their order: each task begins when the one before it has ended.
  @_disfavoredOverload
  public func concatMap<Result: Sendable>(
    _ transform: @escaping @MainActor (Element) async throws(SharingStrategy.Failure) -> Result
  ) -> MainSequence<SharingStrategy, Result> {
    MainSequence(moving: source.concatMap(task(transform)))
  }
}

/// What makes a single of the result of `transform` for an element.
private func task<Element: Sendable, Result: Sendable, Failure: Error>(
  _ transform: @escaping @MainActor (Element) async throws(Failure) -> Result
) -> @Sendable (Element) -> Single<Result> {
  { element in .create { try await transform(element) } }
}
