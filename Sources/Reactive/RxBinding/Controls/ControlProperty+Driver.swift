import Rx

extension ControlProperty {
  /// The values as a ``Driver``; a control property does not fail, so there is no error to replace.
  public func asDriver() -> Driver<Element> {
    asDriver { error in
      BindingError.raise(error)
      return .empty()
    }
  }
}
