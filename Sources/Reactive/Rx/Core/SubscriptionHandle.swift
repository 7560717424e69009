import Synchronization

/// What `subscribe` returns. It holds the chain of the subscription until that has ended or was disposed of. After that
/// it holds nothing, so a bag that keeps it keeps none of the closures.
///
/// The last sink of the chain holds its handle, the handle holds what is upstream, and nothing here holds the last sink.
final class SubscriptionHandle: Cancelable {
  private struct Content: Sendable {
    var upstream: (any Disposable)?
    let onDisposed: (@Sendable () -> Void)?
  }

  private let counted = CountedResource()
  private let stopped = Atomic<Bool>(false)
  private let content: Locked<Content?>

  /// A handle that calls `onDisposed` once, however the subscription ends.
  init(onDisposed: (@Sendable () -> Void)? = nil) {
    content = Locked(Content(onDisposed: onDisposed))
  }

  /// Whether an element may still be delivered.
  var isLive: Bool {
    !stopped.load(ordering: .relaxed)
  }

  var isDisposed: Bool {
    content.withLock { $0 == nil }
  }

  /// Lets nothing through from now on. Returns whether something was let through until now.
  func stop() -> Bool {
    !stopped.exchange(true, ordering: .relaxed)
  }

  /// Gives the handle what is upstream, once; disposes it right away when the subscription is over already.
  func setUpstream(_ upstream: any Disposable) {
    let isOver = content.withLock { content in
      content?.upstream = upstream
      return content == nil
    }
    if isOver { upstream.dispose() }
  }

  func dispose() {
    _ = stop()
    guard let content = content.withLock({ $0.take() }) else { return }
    content.upstream?.dispose()
    content.onDisposed?()
  }

  /// Lets go of a chain that nothing can come through any more, without ending the subscription.
  func release() {
    // It goes away outside of the lock.
    _ = content.withLock { $0?.upstream.take() }
  }

  /// Ends the subscription after a terminal event. As in RxSwift, `onDisposed` is called before the chain is disposed.
  func end() {
    guard let content = content.withLock({ $0.take() }) else { return }
    content.onDisposed?()
    content.upstream?.dispose()
  }
}
