extension ObservableType {
  /// All elements from the first that does not satisfy `predicate`; what it throws ends the sequence (RxSwift's
  /// `skip(while:)`).
  public func skip(while predicate: @escaping @Sendable (Element) throws -> Bool) -> Observable<Element> {
    lift { SkipWhileSink($0, predicate) }
  }
}

/// `@unchecked Sendable`: see ``FinishingSink``.
private final class SkipWhileSink<Element: Sendable>: FinishingSink<Element, Element>, @unchecked Sendable {
  private var predicate: (@Sendable (Element) throws -> Bool)?

  init(_ downstream: Sink<Element>, _ predicate: @escaping @Sendable (Element) throws -> Bool) {
    self.predicate = predicate
    super.init(downstream)
  }

  override func next(_ element: Element) {
    guard !isDisposed else { return }
    do {
      if let predicate, try predicate(element) { return }
      predicate = nil
      downstream.next(element)
    } catch {
      finish(error)
    }
  }
}
