import Rx

extension ControlEvent {
  /// The events as a ``Driver``; a control event does not fail, so there is no error to replace.
  public func asDriver() -> Driver<Element> {
    asDriver { error in
      BindingError.raise(error)
      return .empty()
    }
  }

  /// The events as a ``Signal``; a control event does not fail, so there is no error to replace.
  public func asSignal() -> Signal<Element> {
    asSignal { error in
      BindingError.raise(error)
      return .empty()
    }
  }
}
