import Synchronization

extension PrimitiveSequence where Trait == SingleTrait {
  /// A single of what `work` returns or throws, awaited in a task of its own for each subscription (RxSwift's `create`).
  /// Disposal cancels the task.
  ///
  ///     Single.create { try await api.profile() }
  ///
  /// - Parameters:
  ///   - detached: Whether the task inherits nothing, neither priority nor task-local values, from where it is subscribed
  ///     to.
  ///   - priority: The task's priority.
  ///   - work: Called for each subscription.
  public static func create(
    detached: Bool = false, priority: TaskPriority? = nil, work: @escaping @Sendable () async throws -> Element
  ) -> Single<Element> {
    .create { single in
      let task = Task.start(detached: detached, priority: priority) {
        do {
          single(.success(try await work()))
        } catch {
          single(.failure(error))
        }
      }
      return Disposables.create { task.cancel() }
    }
  }

  /// The element, awaited; subscribes anew each time (RxSwift's `value`).
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
  /// The element, awaited, or `nil` without one; subscribes anew each time (RxSwift's `value`).
  ///
  /// Throws the maybe's error, or `CancellationError` when the task is cancelled first; the subscription ends then.
  public var value: Element? {
    get async throws {
      try await firstElement()
    }
  }
}

extension PrimitiveSequence where Trait == CompletableTrait, Element == Never {
  /// Waits until the completable is done; subscribes anew each time (RxSwift's `value`).
  ///
  /// Throws the completable's error, or `CancellationError` when the task is cancelled first; the subscription ends then.
  public var value: Void {
    get async throws {
      _ = try await firstElement()
    }
  }
}

extension PrimitiveSequence {
  /// The element, if there is one. Cancelling the task unsubscribes.
  fileprivate func firstElement() async throws -> Element? {
    let subscription = SingleAssignmentDisposable()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let answer = Answer(continuation)
        subscription.setDisposable(
          subscribeToFirst(onDisposed: { answer.resume(with: .failure(CancellationError())) }) { event in
            switch event {
            case .next(let element): answer.resume(with: .success(element))
            case .error(let error): answer.resume(with: .failure(error))
            case .completed: answer.resume(with: .success(nil))
            }
          })
      }
    } onCancel: {
      subscription.dispose()
    }
  }
}

/// Resumes a continuation with the first of several results.
private final class Answer<Element: Sendable>: Sendable {
  private let continuation: CheckedContinuation<Element, any Error>
  private let isResumed = Atomic<Bool>(false)

  init(_ continuation: CheckedContinuation<Element, any Error>) {
    self.continuation = continuation
  }

  func resume(with result: Result<Element, any Error>) {
    if !isResumed.exchange(true, ordering: .relaxed) { continuation.resume(with: result) }
  }
}
