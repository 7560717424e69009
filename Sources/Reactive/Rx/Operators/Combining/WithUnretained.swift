extension ObservableType {
  /// What `resultSelector` makes of `object` and each element. The object is held weakly: the sequence completes at the
  /// first element after it has gone (RxSwift's `withUnretained(_:resultSelector:)`).
  public func withUnretained<Object: AnyObject & Sendable, Output: Sendable>(
    _ object: Object, resultSelector: @escaping @Sendable ((Object, Element)) -> Output
  ) -> Observable<Output> {
    lift { [weak object] in WithUnretainedSink($0, object, resultSelector) }
  }

  /// `object` with each element. The object is held weakly: the sequence completes at the first element after it has
  /// gone (RxSwift's `withUnretained(_:)`).
  public func withUnretained<Object: AnyObject & Sendable>(_ object: Object) -> Observable<(Object, Element)> {
    withUnretained(object) { $0 }
  }
}

/// `@unchecked Sendable`: see ``FinishingSink``.
private final class WithUnretainedSink<Object: AnyObject & Sendable, Input: Sendable, Output: Sendable>:
  FinishingSink<Input, Output>, @unchecked Sendable
{
  private weak let object: Object?
  private let resultSelector: @Sendable ((Object, Input)) -> Output

  init(
    _ downstream: Sink<Output>, _ object: Object?, _ resultSelector: @escaping @Sendable ((Object, Input)) -> Output
  ) {
    self.object = object
    self.resultSelector = resultSelector
    super.init(downstream)
  }

  override func next(_ element: Input) {
    guard !isDisposed else { return }
    if let object {
      downstream.next(resultSelector((object, element)))
    } else {
      finish()
    }
  }
}
