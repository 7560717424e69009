extension ObservableType {
  /// A sequence of what `transform` makes of each element; what it throws ends the sequence (RxSwift's `map`).
  public func map<Result: Sendable>(
    _ transform: @escaping @Sendable (Element) throws -> Result
  ) -> Observable<Result> {
    Map(source: asObservable(), transform: transform)
  }
}

private final class Map<Element: Sendable, Result: Sendable>: Producer<Result>, @unchecked Sendable {
  private let source: Observable<Element>
  private let transform: @Sendable (Element) throws -> Result

  init(source: Observable<Element>, transform: @escaping @Sendable (Element) throws -> Result) {
    self.source = source
    self.transform = transform
  }

  override func run(_ downstream: Sink<Result>) -> any Disposable {
    MapSink(downstream, transform).connect(only: source)
  }
}

private final class MapSink<Element: Sendable, Result: Sendable>: OperatorSink<Element, Result>, @unchecked Sendable {
  private let transform: @Sendable (Element) throws -> Result

  init(_ downstream: Sink<Result>, _ transform: @escaping @Sendable (Element) throws -> Result) {
    self.transform = transform
    super.init(downstream)
  }

  override func next(_ element: Element) {
    guard !isDisposed else { return }
    do {
      downstream.next(try transform(element))
    } catch {
      finish(error)
    }
  }
}
