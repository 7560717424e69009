extension ObservableType {
  /// A sequence of the elements that satisfy `predicate`; what it throws ends the sequence (RxSwift's `filter`).
  public func filter(_ predicate: @escaping @Sendable (Element) throws -> Bool) -> Observable<Element> {
    Filter(source: asObservable(), predicate: predicate)
  }
}

private final class Filter<Element: Sendable>: Producer<Element>, @unchecked Sendable {
  private let source: Observable<Element>
  private let predicate: @Sendable (Element) throws -> Bool

  init(source: Observable<Element>, predicate: @escaping @Sendable (Element) throws -> Bool) {
    self.source = source
    self.predicate = predicate
  }

  override func run(_ downstream: Sink<Element>) -> any Disposable {
    FilterSink(downstream, predicate).connect(only: source)
  }
}

private final class FilterSink<Element: Sendable>: OperatorSink<Element, Element>, @unchecked Sendable {
  private let predicate: @Sendable (Element) throws -> Bool

  init(_ downstream: Sink<Element>, _ predicate: @escaping @Sendable (Element) throws -> Bool) {
    self.predicate = predicate
    super.init(downstream)
  }

  override func next(_ element: Element) {
    guard !isDisposed else { return }
    do {
      if try predicate(element) { downstream.next(element) }
    } catch {
      finish(error)
    }
  }
}
