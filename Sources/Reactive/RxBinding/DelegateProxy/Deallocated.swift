public import Rx

extension Reactive where Base: AnyObject & Sendable {
  /// Sends one element and completes when the object has gone, or is gone already (RxCocoa).
  ///
  ///     values.take(until: dial.rx.deallocated)
  ///
  /// Swift has no associated objects. An object with a place for its proxies, a ``DelegateProxyHolder``, sends the
  /// element at once, any other object within a quarter of a second. The element comes on the main actor.
  public var deallocated: Observable<Void> {
    Observable.createOnMain { [weak base] observer in
      guard let base else { return Observable.just(()).subscribe(observer) }
      return DeallocationObserver.of(base).subject.subscribe(observer)
    }
  }
}

extension Reactive where Base: AnyObject {
  /// The same for an object that is not `Sendable`, on the main actor.
  @MainActor
  public var deallocated: Observable<Void> { DeallocationObserver.of(base).subject.asObservable() }
}

/// Takes a place among the proxies of an object to learn of the object's end.
@MainActor
private final class DeallocationObserver: InstalledDelegateProxy {
  let subject = ReplaySubject<Void>.create(bufferSize: 1)

  /// The observer that waits for the end of `object`.
  static func of(_ object: AnyObject) -> DeallocationObserver {
    let identifier = ObjectIdentifier(DeallocationObserver.self)
    let proxies = DelegateProxies.of(object)
    if let observer = proxies[identifier] as? DeallocationObserver { return observer }
    let observer = DeallocationObserver()
    proxies.insert(observer, for: identifier)
    return observer
  }

  func parentDidGo() {
    subject.onNext(())
    subject.onCompleted()
  }

  func reinstall(isReported: Bool) {}
}
