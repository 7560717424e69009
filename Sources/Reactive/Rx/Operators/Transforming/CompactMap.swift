extension ObservableType {
  /// A sequence of what `transform` makes of each element, without the `nil`s; what it throws ends the sequence
  /// (RxSwift's `compactMap`).
  public func compactMap<Result: Sendable>(
    _ transform: @escaping @Sendable (Element) throws -> Result?
  ) -> Observable<Result> {
    CompactMap(source: asObservable(), transform: transform)
  }
}

private final class CompactMap<Element: Sendable, Result: Sendable>: Producer<Result>, @unchecked Sendable {
  private let source: Observable<Element>
  private let transform: @Sendable (Element) throws -> Result?

  init(source: Observable<Element>, transform: @escaping @Sendable (Element) throws -> Result?) {
    self.source = source
    self.transform = transform
  }

  override func run(_ downstream: Sink<Result>) -> any Disposable {
    CompactMapSink(downstream, transform).connect(only: source)
  }
}

private final class CompactMapSink<Element: Sendable, Result: Sendable>: OperatorSink<Element, Result>,
  @unchecked Sendable
{
  private let transform: @Sendable (Element) throws -> Result?

  init(_ downstream: Sink<Result>, _ transform: @escaping @Sendable (Element) throws -> Result?) {
    self.transform = transform
    super.init(downstream)
  }

  override func next(_ element: Element) {
    guard !isDisposed else { return }
    do {
      if let result = try transform(element) { downstream.next(result) }
    } catch {
      finish(error)
    }
  }
}
