extension ObservableType {
  /// A sequence of one element (RxSwift).
  public static func just(_ element: Element) -> Observable<Element> {
    immediate { sink in
      sink.next(element)
      sink.completed()
    }
  }

  /// A sequence that completes at once (RxSwift).
  public static func empty() -> Observable<Element> { immediate { $0.completed() } }

  /// A sequence that fails at once (RxSwift).
  public static func error(_ error: any Swift.Error) -> Observable<Element> { immediate { $0.error(error) } }

  /// A sequence without any event (RxSwift).
  public static func never() -> Observable<Element> { immediate { _ in } }

  /// A sequence that is made anew for each subscription (RxSwift).
  public static func deferred(
    _ observableFactory: @escaping @Sendable () throws -> Observable<Element>
  ) -> Observable<Element> {
    Observable { downstream in
      do {
        return try observableFactory().subscribe(downstream)
      } catch {
        downstream.error(error)
        return Disposables.create()
      }
    }
  }

  /// A sequence that sends all there is to send while it is being subscribed to.
  private static func immediate(_ send: @escaping @Sendable (Sink<Element>) -> Void) -> Observable<Element> {
    Observable(isImmediate: true) { sink in
      send(sink)
      return Disposables.create()
    }
  }
}
