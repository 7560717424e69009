extension ObservableType {
  /// A sequence that completes at once (RxSwift's `empty`).
  public static func empty() -> Observable<Element> {
    Ending(.completed)
  }

  /// A sequence that fails at once (RxSwift's `error`).
  public static func error(_ error: any Swift.Error) -> Observable<Element> {
    Ending(.error(error))
  }

  /// A sequence without any event (RxSwift's `never`).
  public static func never() -> Observable<Element> {
    Never()
  }
}

private final class Ending<Element: Sendable>: Observable<Element>, @unchecked Sendable {
  private let event: Event<Element>

  init(_ event: Event<Element>) {
    self.event = event
  }

  override func subscribe(_ sink: Sink<Element>) -> any Disposable {
    sink.on(event)
    return Disposables.create()
  }
}

private final class Never<Element: Sendable>: Observable<Element>, @unchecked Sendable {
  override func subscribe(_ sink: Sink<Element>) -> any Disposable {
    Disposables.create()
  }
}
