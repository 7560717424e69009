import Synchronization

extension PrimitiveSequenceType where Trait == SingleTrait {
  /// What the single says, awaited; subscribes anew each time (RxSwift's `value`).
  ///
  /// Throws the single's error, or `CancellationError` when the task is cancelled first; the subscription ends then.
  public var value: Element {
    get async throws {
      let subscription = SingleAssignmentDisposable()
      return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
          let answer = Answer(continuation)
          subscription.setDisposable(
            subscribe(
              onSuccess: { answer.resume(with: .success($0)) },
              onFailure: { answer.resume(with: .failure($0)) },
              onDisposed: { answer.resume(with: .failure(CancellationError())) }))
        }
      } onCancel: {
        subscription.dispose()
      }
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
