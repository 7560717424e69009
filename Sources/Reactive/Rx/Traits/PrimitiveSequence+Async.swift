import Synchronization

extension PrimitiveSequence where Trait == SingleTrait {
  /// A single of the result of `work`, awaited in a task for each subscription. Disposal cancels the task.
  ///
  ///     Single.create { try await api.profile() }
  ///
  /// A `detached` task inherits neither priority nor task-local values from the subscriber.
  public static func create(
    detached: Bool = false, priority: TaskPriority? = nil, work: @escaping @Sendable () async throws -> Element
  ) -> Single<Element> {
    .create { single in
      let body: @Sendable () async -> Void = {
        do {
          single(.success(try await work()))
        } catch {
          single(.failure(error))
        }
      }
      let task =
        detached ? Task.detached(priority: priority, operation: body) : Task(priority: priority, operation: body)
      return Disposables.create { task.cancel() }
    }
  }

  /// The element, awaited; subscribes anew each time.
  ///
  /// Throws the single's error, or `CancellationError` when the task is cancelled first; the subscription ends then.
  public var value: Element {
    get async throws {
      guard let element = try await firstElement() else { throw RxError.noElements }
      return element
    }
  }
}

extension PrimitiveSequence where Trait == MaybeTrait {
  /// The element, awaited, or `nil` without one; subscribes anew each time.
  ///
  /// Throws the maybe's error, or `CancellationError` when the task is cancelled first; the subscription ends then.
  public var value: Element? { get async throws { try await firstElement() } }
}

extension PrimitiveSequence where Trait == CompletableTrait, Element == Never {
  /// Waits until the completable is done; subscribes anew each time.
  ///
  /// Throws the completable's error, or `CancellationError` when the task is cancelled; the subscription ends then.
  public var value: Void { get async throws { _ = try await firstElement() } }
}

extension PrimitiveSequence {
  /// The element, if there is one. Cancelling the task unsubscribes.
  fileprivate func firstElement() async throws -> Element? {
    let subscription = SingleAssignmentDisposable()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let isResumed = Atomic<Bool>(false)
        let resume: @Sendable (Result<Element?, any Error>) -> Void = { result in
          if !isResumed.exchange(true, ordering: .relaxed) { continuation.resume(with: result) }
        }
        subscription.setDisposable(
          subscribeToFirst(onDisposed: { resume(.failure(CancellationError())) }) { event in
            switch event {
            case .next(let element): resume(.success(element))
            case .error(let error): resume(.failure(error))
            case .completed: resume(.success(nil))
            }
          })
      }
    } onCancel: {
      subscription.dispose()
    }
  }
}
