/// When an observer subscribed to a ``TestableObservable``, and when that subscription ended (RxTest's `Subscription`).
public struct Subscription: Hashable, Sendable {
  /// The virtual time of the subscription.
  public let subscribe: TestTime

  /// The virtual time at which the subscription was disposed; `Int.max` while it was not.
  public let unsubscribe: TestTime

  /// A subscription made at `subscribe` and never disposed.
  public init(_ subscribe: TestTime) {
    self.init(subscribe, .max)
  }

  /// A subscription made at `subscribe` and disposed at `unsubscribe`.
  public init(_ subscribe: TestTime, _ unsubscribe: TestTime) {
    self.subscribe = subscribe
    self.unsubscribe = unsubscribe
  }
}

extension Subscription: CustomDebugStringConvertible {
  /// Both times, as RxTest prints them: `(200 : 1000)`, `(200 : Infinity)`.
  public var debugDescription: String {
    "(\(subscribe) : \(unsubscribe == .max ? "Infinity" : String(unsubscribe)))"
  }
}
