import Rx

extension SharedSequenceConvertibleType {
  /// The same elements; the closures are called as they pass, once for all subscribers.
  ///
  /// - Parameters:
  ///   - onNext: Called with each element before the subscribers get it, on the main scheduler.
  ///   - afterNext: Called with each element after the subscribers have got it.
  ///   - onCompleted: Called before the subscribers hear of the completion.
  ///   - afterCompleted: Called after the subscribers have heard of the completion.
  ///   - onSubscribe: Called before the source is subscribed to, on the thread of the first subscriber.
  ///   - onSubscribed: Called after the source was subscribed to.
  ///   - onDispose: Called when the subscription to the source has ended, on the thread that ended it.
  public func `do`(
    onNext: (@Sendable (Element) -> Void)? = nil,
    afterNext: (@Sendable (Element) -> Void)? = nil,
    onCompleted: (@Sendable () -> Void)? = nil,
    afterCompleted: (@Sendable () -> Void)? = nil,
    onSubscribe: (@Sendable () -> Void)? = nil,
    onSubscribed: (@Sendable () -> Void)? = nil,
    onDispose: (@Sendable () -> Void)? = nil
  ) -> SharedSequence<SharingStrategy, Element> {
    SharedSequence(
      asObservable().do(
        onNext: onNext, afterNext: afterNext, onCompleted: onCompleted, afterCompleted: afterCompleted,
        onSubscribe: onSubscribe, onSubscribed: onSubscribed, onDispose: onDispose))
  }
}
