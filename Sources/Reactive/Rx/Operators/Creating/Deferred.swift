extension ObservableType {
  /// A sequence that is made anew for each subscription (RxSwift's `deferred`).
  public static func deferred(
    _ observableFactory: @escaping @Sendable () throws -> Observable<Element>
  ) -> Observable<Element> {
    Deferred(observableFactory)
  }
}

private final class Deferred<Element: Sendable>: Producer<Element>, @unchecked Sendable {
  private let factory: @Sendable () throws -> Observable<Element>

  init(_ factory: @escaping @Sendable () throws -> Observable<Element>) {
    self.factory = factory
  }

  override func run(_ downstream: Sink<Element>) -> any Disposable {
    do {
      return try factory().subscribe(downstream)
    } catch {
      downstream.error(error)
      return Disposables.create()
    }
  }
}
