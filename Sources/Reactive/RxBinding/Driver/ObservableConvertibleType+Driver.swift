import Rx

extension ObservableConvertibleType {
  /// This sequence as a ``Driver`` that ends with `onErrorJustReturn` in case of an error.
  public func asDriver(onErrorJustReturn: Element) -> Driver<Element> {
    asSharedSequence(onErrorJustReturn: onErrorJustReturn)
  }

  /// This sequence as a ``Driver`` that continues with `onErrorDriveWith` in case of an error.
  public func asDriver(onErrorDriveWith: Driver<Element>) -> Driver<Element> {
    asSharedSequence(onErrorDriveWith: onErrorDriveWith)
  }

  /// This sequence as a ``Driver`` that continues with what `onErrorRecover` makes of an error.
  public func asDriver(
    onErrorRecover: @escaping @Sendable (_ error: any Swift.Error) -> Driver<Element>
  ) -> Driver<Element> {
    asSharedSequence(onErrorRecover: onErrorRecover)
  }
}
