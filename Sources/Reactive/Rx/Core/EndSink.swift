/// The last sink of a chain: lets nothing through after a terminal event or disposal, and ends the subscription after a
/// terminal event.
///
/// `@unchecked Sendable`: it stores its handle only, which has a lock of its own. Its subclasses add closures and
/// observers, which are `Sendable` and never change.
class EndSink<Element: Sendable>: Sink<Element>, @unchecked Sendable {
  final let handle: SubscriptionHandle

  init(onDisposed: (@Sendable () -> Void)? = nil) {
    handle = SubscriptionHandle(onDisposed: onDisposed)
  }

  override func sourceGone() {
    handle.release()
  }

  /// Subscribes to `source`.
  final func connect(_ source: Observable<Element>) -> any Disposable {
    handle.setUpstream(source.subscribe(self))
    return handle
  }
}
