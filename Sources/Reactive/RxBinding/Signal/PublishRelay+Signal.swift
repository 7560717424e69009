import Rx

extension PublishRelay {
  /// The relay's elements as a ``Signal``; a relay cannot fail, so there is no error to replace.
  public func asSignal() -> Signal<Element> {
    Signal(asObservable().observe(on: SignalSharingStrategy.scheduler))
  }
}
