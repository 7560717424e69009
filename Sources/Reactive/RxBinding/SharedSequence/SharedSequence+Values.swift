import Rx

extension SharedSequence {
  /// The elements for a `for await` loop, which ends when the sequence completes; the end of the loop ends the
  /// subscription.
  ///
  ///     for await title in title.values { … }
  @MainActor
  public var values: AsyncStream<Element> {
    AsyncStream { continuation in
      let subscription = asObservable().subscribe(
        onNext: { continuation.yield($0) },
        onCompleted: { continuation.finish() },
        onDisposed: { continuation.finish() }
      )
      continuation.onTermination = { _ in subscription.dispose() }
    }
  }
}
