/// A sequence of at most one element, with the promise of `Trait` (RxSwift): ``Single``, ``Maybe`` or ``Completable``.
public struct PrimitiveSequence<Trait, Element: Sendable>: Sendable {
  let source: Observable<Element>

  /// A sequence that takes the promise of `raw` for granted.
  init(raw: Observable<Element>) { source = raw }
}

/// What is, or stands for, a ``PrimitiveSequence`` (RxSwift).
public protocol PrimitiveSequenceType<Trait, Element>: Sendable {
  /// The kind of sequence.
  associatedtype Trait
  /// The type of the elements.
  associatedtype Element: Sendable

  /// The sequence.
  var primitiveSequence: PrimitiveSequence<Trait, Element> { get }
}

/// The traits of sequences that may have an element: ``SingleTrait`` and ``MaybeTrait``.
public protocol ElementTrait {}

extension PrimitiveSequence: PrimitiveSequenceType {
  /// This sequence.
  public var primitiveSequence: PrimitiveSequence<Trait, Element> { self }
}

extension PrimitiveSequence: ObservableConvertibleType {
  /// The same sequence, its promise forgotten.
  public func asObservable() -> Observable<Element> { source }
}

extension PrimitiveSequence {
  /// A sequence of the first event with which `subscribe` calls its observer. It ends with an element, too.
  static func answering(
    _ subscribe: @escaping @Sendable (@escaping @Sendable (Event<Element>) -> Void) -> any Disposable
  ) -> Self {
    PrimitiveSequence(
      raw: .create { observer in
        subscribe { event in
          observer.on(event)
          // No effect after an end.
          observer.onCompleted()
        }
      })
  }

  /// Calls `handler` once, with the first event.
  func subscribeToFirst(_ handler: @escaping @Sendable (Event<Element>) -> Void) -> any Disposable {
    let handle = SubscriptionHandle()
    let sink = EndSink<Element>(handle) { element in
      if handle.stop() { handler(.next(element)) }
    } onEnd: { error in
      if handle.stop() { handler(Event(end: error)) }
      handle.end()
    }
    return sink.connect(source)
  }

  /// Calls `handler` once, with the first event, and `onDisposed` when the subscription has ended.
  func subscribeToFirst(
    onDisposed: (@Sendable () -> Void)?, _ handler: @escaping @Sendable (Event<Element>) -> Void
  ) -> any Disposable {
    guard let onDisposed else { return subscribeToFirst(handler) }
    let disposed = Disposables.create(with: onDisposed)
    let subscription = subscribeToFirst { event in
      handler(event)
      disposed.dispose()
    }
    return Disposables.create(subscription, disposed)
  }
}
