// Conversions from one trait into another.
extension ObservableType {
  /// This sequence as a single; fails with ``RxError/noElements`` or ``RxError/moreThanOneElement`` (RxSwift).
  public func asSingle() -> Single<Element> { Single(raw: onlyElement { throw RxError.noElements }) }

  /// This sequence as a maybe: it fails with ``RxError/moreThanOneElement`` at a second element (RxSwift).
  public func asMaybe() -> Maybe<Element> { Maybe(raw: onlyElement {}) }

  /// The only element, sent at the end.
  private func onlyElement(ifNone: @escaping @Sendable () throws -> Void) -> Observable<Element> {
    stage(
      Element?.none,
      atEnd: { stage in
        if let element = stage.state { stage.send(element) } else { try ifNone() }
      },
      step: { stage, element in
        guard stage.state == nil else { throw RxError.moreThanOneElement }
        stage.state = element
      })
  }
}

extension ObservableType where Element == Never {
  /// This sequence as a completable (RxSwift).
  public func asCompletable() -> Completable { Completable(raw: asObservable()) }
}

extension PrimitiveSequence {
  /// This sequence as a maybe (RxSwift).
  public func asMaybe() -> Maybe<Element> { Maybe(raw: source) }

  /// This sequence, its element forgotten (RxSwift).
  public func asCompletable() -> Completable { Completable(raw: source.ignoreElements()) }
}

extension PrimitiveSequence where Trait == SingleTrait {
  /// This single (RxSwift).
  public func asSingle() -> Single<Element> { self }
}

extension PrimitiveSequence where Trait == MaybeTrait {
  /// This maybe as a single: it fails with ``RxError/noElements`` if there is no element (RxSwift).
  public func asSingle() -> Single<Element> { source.asSingle() }
}
