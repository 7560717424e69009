/// Whether the element that ends a `take` still belongs to it (RxSwift's `TakeBehavior`).
public enum TakeBehavior: Sendable {
  /// It is the last element.
  case inclusive
  /// It is left out.
  case exclusive
}

extension ObservableType {
  /// The elements up to the first that satisfies `predicate`; then it completes. What `predicate` throws ends the
  /// sequence (RxSwift's `take(until:behavior:)`).
  public func take(
    until predicate: @escaping @Sendable (Element) throws -> Bool, behavior: TakeBehavior = .exclusive
  ) -> Observable<Element> {
    lift { TakeUntilSink($0, behavior, predicate) }
  }

  /// The elements up to the first that does not satisfy `predicate`; then it completes. What `predicate` throws ends
  /// the sequence (RxSwift's `take(while:behavior:)`).
  public func take(
    while predicate: @escaping @Sendable (Element) throws -> Bool, behavior: TakeBehavior = .exclusive
  ) -> Observable<Element> {
    take(until: { try !predicate($0) }, behavior: behavior)
  }
}

/// `@unchecked Sendable`: see ``FinishingSink``.
private final class TakeUntilSink<Element: Sendable>: FinishingSink<Element, Element>, @unchecked Sendable {
  private let behavior: TakeBehavior
  private let predicate: @Sendable (Element) throws -> Bool

  init(
    _ downstream: Sink<Element>, _ behavior: TakeBehavior, _ predicate: @escaping @Sendable (Element) throws -> Bool
  ) {
    self.behavior = behavior
    self.predicate = predicate
    super.init(downstream)
  }

  override func next(_ element: Element) {
    guard !isDisposed else { return }
    do {
      let isLast = try predicate(element)
      if !isLast || behavior == .inclusive { downstream.next(element) }
      if isLast, !isDisposed { finish() }
    } catch {
      finish(error)
    }
  }
}
