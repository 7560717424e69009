import Rx

extension ObservableConvertibleType {
  /// This sequence as a ``Signal`` that ends with `onErrorJustReturn` in case of an error.
  public func asSignal(onErrorJustReturn: Element) -> Signal<Element> {
    asSharedSequence(onErrorJustReturn: onErrorJustReturn)
  }

  /// This sequence as a ``Signal`` that continues with `onErrorSignalWith` in case of an error.
  public func asSignal(onErrorSignalWith: Signal<Element>) -> Signal<Element> {
    asSharedSequence(onErrorDriveWith: onErrorSignalWith)
  }

  /// This sequence as a ``Signal`` that continues with what `onErrorRecover` makes of an error.
  public func asSignal(
    onErrorRecover: @escaping @Sendable (_ error: any Swift.Error) -> Signal<Element>
  ) -> Signal<Element> {
    asSharedSequence(onErrorRecover: onErrorRecover)
  }
}
