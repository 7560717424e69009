import Rx

extension BehaviorRelay {
  /// The relay's value as a ``Driver``; a relay cannot fail, so there is no error to replace.
  public func asDriver() -> Driver<Element> {
    Driver(asObservable().observe(on: DriverSharingStrategy.scheduler))
  }
}
