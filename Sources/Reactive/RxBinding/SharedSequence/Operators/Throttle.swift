import Rx

extension SharedSequenceConvertibleType {
  /// The elements with at least `dueTime` between them: the first of a burst at once and, if `latest`, its last one when
  /// the time is up.
  public func throttle(
    _ dueTime: RxTimeInterval, latest: Bool = true
  ) -> SharedSequence<SharingStrategy, Element> {
    SharedSequence(asObservable().throttle(dueTime, latest: latest, scheduler: SharingStrategy.scheduler))
  }
}
