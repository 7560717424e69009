// The operators that make a sequence of each element, with an asynchronous function in the place of the sequence. A closure
// that does not wait for anything takes the form with a sequence.
extension ObservableType {
  /// The results of `transform` for the elements, in the order in which they are there. Each runs in a task of its own; the end of
  /// the subscription cancels the tasks. An error of one ends the sequence.
  @_disfavoredOverload
  public func flatMap<Result: Sendable>(
    _ transform: @escaping @Sendable (Element) async throws -> Result
  ) -> Observable<Result> {
    mergeMap { element in Single.create { try await transform(element) } }
  }

  /// Like the asynchronous `flatMap`, but ignores elements while the task of an earlier one runs.
  @_disfavoredOverload
  public func flatMapFirst<Result: Sendable>(
    _ transform: @escaping @Sendable (Element) async throws -> Result
  ) -> Observable<Result> {
    mergeMap(limit: 1, excess: .isDropped) { element in Single.create { try await transform(element) } }
  }

  /// The result of `transform` for the latest element. A new element cancels the task of the one before it.
  ///
  ///     query.flatMapLatest { text in try await api.search(text) }
  @_disfavoredOverload
  public func flatMapLatest<Result: Sendable>(
    _ transform: @escaping @Sendable (Element) async throws -> Result
  ) -> Observable<Result> {
    flatMapLatest { element -> Single<Result> in .create { try await transform(element) } }
  }

  /// The results of `transform` for the elements, in their order: each task begins when the one before it has ended.
  @_disfavoredOverload
  public func concatMap<Result: Sendable>(
    _ transform: @escaping @Sendable (Element) async throws -> Result
  ) -> Observable<Result> {
    mergeMap(limit: 1) { element in Single.create { try await transform(element) } }
  }
}
