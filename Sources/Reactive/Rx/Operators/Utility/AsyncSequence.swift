extension ObservableConvertibleType {
  /// The elements of this sequence for `for try await` (RxSwift). Elements that come faster than they are taken are
  /// kept. The sequence's error is thrown. Cancelling the task unsubscribes, and throws `CancellationError`.
  public var values: AsyncThrowingStream<Element, any Swift.Error> { stream(.unbounded) }

  /// As ``values``; of the elements that wait to be taken, only the newest `count` are kept.
  public func values(bufferingNewest count: Int) -> AsyncThrowingStream<Element, any Swift.Error> {
    stream(.bufferingNewest(count))
  }

  /// As ``values``; of the elements that wait to be taken, only the oldest `count` are kept.
  public func values(bufferingOldest count: Int) -> AsyncThrowingStream<Element, any Swift.Error> {
    stream(.bufferingOldest(count))
  }

  private func stream(
    _ policy: AsyncThrowingStream<Element, any Swift.Error>.Continuation.BufferingPolicy
  ) -> AsyncThrowingStream<Element, any Swift.Error> {
    AsyncThrowingStream(bufferingPolicy: policy) { continuation in
      let subscription = asObservable().subscribe(
        onNext: { continuation.yield($0) },
        onError: { continuation.finish(throwing: $0) },
        onCompleted: { continuation.finish() },
        // After the end this has no effect any more.
        onDisposed: { continuation.finish(throwing: CancellationError()) })
      continuation.onTermination = { _ in subscription.dispose() }
    }
  }
}

extension AsyncStream where Element: Sendable {
  /// The elements of `source`, which does not fail, subscribed to now.
  package init(_ source: Observable<Element>, _ policy: Continuation.BufferingPolicy = .unbounded) {
    self.init(bufferingPolicy: policy) { continuation in
      let subscription = source.subscribe(
        onNext: { continuation.yield($0) },
        onCompleted: { continuation.finish() },
        onDisposed: { continuation.finish() })
      continuation.onTermination = { _ in subscription.dispose() }
    }
  }
}

extension AsyncSequence where Self: Sendable, Element: Sendable {
  /// This asynchronous sequence as an observable one: each subscription iterates it in a detached task of its own (RxSwift),
  /// which inherits neither priority nor task-local values from the subscriber.
  public func asObservable(priority: TaskPriority? = nil) -> Observable<Element> {
    Observable.create { observer in
      let task = Task.detached(priority: priority) {
        do {
          for try await element in self {
            observer.onNext(element)
          }
          observer.onCompleted()
        } catch is CancellationError {
          observer.onCompleted()
        } catch {
          observer.onError(error)
        }
      }
      return Disposables.create { task.cancel() }
    }
  }
}
