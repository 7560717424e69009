import Rx

extension SharedSequenceConvertibleType where SharingStrategy == SignalSharingStrategy {
  /// What `resultSelector` makes of `object`, which is held weakly, and each element; completes with the first element
  /// after the object has gone.
  public func withUnretained<Object: AnyObject & Sendable, Result: Sendable>(
    _ object: Object, resultSelector: @escaping @Sendable (Object, Element) -> Result
  ) -> Signal<Result> {
    Signal(asObservable().withUnretained(object, resultSelector: resultSelector))
  }

  /// `object`, which is held weakly, with each element; completes with the first element after the object has gone.
  public func withUnretained<Object: AnyObject & Sendable>(_ object: Object) -> Signal<(Object, Element)> {
    withUnretained(object) { ($0, $1) }
  }
}

extension SharedSequenceConvertibleType where SharingStrategy == DriverSharingStrategy {
  /// Not for drivers: the element that a driver keeps for replay would keep the object alive.
  @available(*, unavailable, message: "a Driver would keep the object alive; use drive(with:onNext:) instead")
  public func withUnretained<Object: AnyObject & Sendable, Result: Sendable>(
    _ object: Object, resultSelector: @escaping @Sendable (Object, Element) -> Result
  ) -> Driver<Result> {
    Driver.empty()
  }

  /// Not for drivers: the element that a driver keeps for replay would keep the object alive.
  @available(*, unavailable, message: "a Driver would keep the object alive; use drive(with:onNext:) instead")
  public func withUnretained<Object: AnyObject & Sendable>(_ object: Object) -> Driver<(Object, Element)> {
    Driver.empty()
  }
}
