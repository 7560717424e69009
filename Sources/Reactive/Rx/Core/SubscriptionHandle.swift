import Synchronization

/// What `subscribe` returns. It holds the chain of the subscription until that has ended or was disposed of. After that
/// it holds nothing, so a bag that keeps it keeps none of the closures.
///
/// The last sink of the chain holds its handle, the handle holds the upstream, and neither holds the last sink.
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

  /// Lets no more events through. Returns whether events could pass until now.
  func stop() -> Bool {
    !stopped.exchange(true, ordering: .relaxed)
  }

  /// Sets the upstream, once; disposes it at once if the subscription is already over.
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

  /// Releases a chain that can send nothing more, without ending the subscription.
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
