extension ObservableType {
  /// A sequence of one element (RxSwift's `just`).
  public static func just(_ element: Element) -> Observable<Element> {
    Immediate { sink in
      sink.next(element)
      sink.completed()
    }
  }

  /// A sequence that completes at once (RxSwift's `empty`).
  public static func empty() -> Observable<Element> {
    Immediate { $0.completed() }
  }

  /// A sequence that fails at once (RxSwift's `error`).
  public static func error(_ error: any Swift.Error) -> Observable<Element> {
    Immediate { $0.error(error) }
  }

  /// A sequence without any event (RxSwift's `never`).
  public static func never() -> Observable<Element> {
    Immediate { _ in }
  }

  /// A sequence that is made anew for each subscription (RxSwift's `deferred`).
  public static func deferred(
    _ observableFactory: @escaping @Sendable () throws -> Observable<Element>
  ) -> Observable<Element> {
    Producer { downstream in
      do {
        return try observableFactory().subscribe(downstream)
      } catch {
        downstream.error(error)
        return Disposables.create()
      }
    }
  }
}

/// Sends all there is to send while it is being subscribed to.
///
/// `@unchecked Sendable`: `send` is `@Sendable` and never changes.
private final class Immediate<Element: Sendable>: Observable<Element>, @unchecked Sendable {
  private let send: @Sendable (Sink<Element>) -> Void

  init(_ send: @escaping @Sendable (Sink<Element>) -> Void) {
    self.send = send
  }

  override func subscribe(_ sink: Sink<Element>) -> any Disposable {
    send(sink)
    return Disposables.create()
  }
}
