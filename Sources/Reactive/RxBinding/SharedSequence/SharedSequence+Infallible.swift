public import Rx

// Sequences that never fail.
extension SharedSequenceConvertibleType {
  /// This sequence as an `Infallible`: it goes on delivering on the strategy's scheduler, but that is not promised any
  /// more (RxCocoa's `asInfallible`).
  public func asInfallible() -> Infallible<Element> {
    Infallible(asObservable())
  }
}

extension InfallibleType {
  /// This sequence as a ``Driver``; it does not fail, so there is no error to replace (RxCocoa's `asDriver`).
  public func asDriver() -> Driver<Element> {
    Driver(asObservable().observe(on: DriverSharingStrategy.scheduler))
  }
}

extension ControlEvent {
  /// The events as an `Infallible` sequence (RxCocoa's `asInfallible`).
  public func asInfallible() -> Infallible<Element> {
    Infallible(asObservable())
  }
}

extension ControlProperty {
  /// The values as an `Infallible` sequence (RxCocoa's `asInfallible`).
  public func asInfallible() -> Infallible<Element> {
    Infallible(asObservable())
  }
}
