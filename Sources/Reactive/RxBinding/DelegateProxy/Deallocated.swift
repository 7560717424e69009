import Rx

extension Reactive where Base: DelegateProxyHolder {
  /// Sends one element and completes when the object releases its ``DelegateProxies``, which is when it goes itself
  /// (RxCocoa's `deallocated`). RxCocoa offers it of every `NSObject`; Swift has no associated objects, so it takes an object
  /// with a place for its proxies.
  ///
  ///     values.take(until: dial.rx.deallocated)
  @MainActor
  public var deallocated: Observable<Void> {
    let identifier = ObjectIdentifier(DeallocationObserver.self)
    let proxies = base.delegateProxies
    if let observer = proxies[identifier] as? DeallocationObserver { return observer.subject.asObservable() }
    let observer = DeallocationObserver()
    proxies.insert(observer, for: identifier)
    return observer.subject.asObservable()
  }
}

/// Takes a place among the proxies to learn of their parent's end.
@MainActor
private final class DeallocationObserver: InstalledDelegateProxy {
  let subject = ReplaySubject<Void>.create(bufferSize: 1)
  var forwardSettings: Int { 0 }

  func parentDidGo() {
    subject.onNext(())
    subject.onCompleted()
  }

  func reinstall(isReported: Bool) {}

  func removeForwardDelegate() {}
}
