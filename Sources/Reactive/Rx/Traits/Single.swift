/// The trait of sequences of exactly one element, or an error (RxSwift's `SingleTrait`).
public enum SingleTrait {}

/// A sequence of exactly one element, or an error: a question with one answer (RxSwift's `Single`).
public typealias Single<Element: Sendable> = PrimitiveSequence<SingleTrait, Element>

/// What a single says, once (RxSwift's `SingleEvent`).
public typealias SingleEvent<Element: Sendable> = Result<Element, any Swift.Error>

extension PrimitiveSequenceType where Trait == SingleTrait {
  /// Receives what a single says.
  public typealias SingleObserver = @Sendable (SingleEvent<Element>) -> Void

  /// A single that `subscribe` answers, anew for every subscription (RxSwift's `create`).
  ///
  /// - Parameter subscribe: Called with the observer for each subscription; what it returns is disposed when the
  ///   subscription ends. Of several calls of the observer the first counts.
  public static func create(
    subscribe: @escaping @Sendable (@escaping SingleObserver) -> any Disposable
  ) -> Single<Element> {
    PrimitiveSequence(
      raw: .create { observer in
        subscribe { event in
          switch event {
          case .success(let element):
            observer.onNext(element)
            observer.onCompleted()
          case .failure(let error):
            observer.onError(error)
          }
        }
      })
  }

  /// Calls `observer` with what the single says.
  ///
  /// A sequence that has broken its promise, and completed without an element, is reported as
  /// ``RxError/noElements`` (RxSwift says nothing, and traps in a debug build).
  public func subscribe(_ observer: @escaping @Sendable (SingleEvent<Element>) -> Void) -> any Disposable {
    SingleSink(observer).connect(primitiveSequence.source)
  }

  /// Calls a closure for each kind of event.
  ///
  /// - Parameters:
  ///   - onSuccess: Called with the element.
  ///   - onFailure: Called with the error; without it the error goes to ``Hooks/defaultErrorHandler``.
  ///   - onDisposed: Called once, when the subscription has ended, however it did.
  public func subscribe(
    onSuccess: (@Sendable (Element) -> Void)? = nil,
    onFailure: (@Sendable (any Swift.Error) -> Void)? = nil,
    onDisposed: (@Sendable () -> Void)? = nil
  ) -> any Disposable {
    let disposed = onDisposed.map { Disposables.create(with: $0) as any Disposable } ?? Disposables.create()
    let subscription = subscribe { event in
      switch event {
      case .success(let element):
        onSuccess?(element)
      case .failure(let error):
        if let onFailure { onFailure(error) } else { Hooks.unhandledError(error) }
      }
      disposed.dispose()
    }
    return Disposables.create(subscription, disposed)
  }

  /// Calls a closure for each kind of event with `object`, which is held weakly; when it is gone, nothing is called.
  public func subscribe<Object: AnyObject & Sendable>(
    with object: Object,
    onSuccess: (@Sendable (Object, Element) -> Void)? = nil,
    onFailure: (@Sendable (Object, any Swift.Error) -> Void)? = nil,
    onDisposed: (@Sendable (Object) -> Void)? = nil
  ) -> any Disposable {
    subscribe(
      onSuccess: { [weak object] element in
        guard let object else { return }
        onSuccess?(object, element)
      },
      onFailure: { [weak object] error in
        guard let object else { return }
        onFailure?(object, error)
      },
      onDisposed: { [weak object] in
        guard let object else { return }
        onDisposed?(object)
      }
    )
  }
}

/// The end of a single's chain.
///
/// `@unchecked Sendable`: `handler` is `@Sendable` and never changes.
private final class SingleSink<Element: Sendable>: EndSink<Element>, @unchecked Sendable {
  private let handler: @Sendable (SingleEvent<Element>) -> Void

  init(_ handler: @escaping @Sendable (SingleEvent<Element>) -> Void) {
    self.handler = handler
    super.init()
  }

  override func next(_ element: Element) {
    if handle.stop() { handler(.success(element)) }
  }

  override func error(_ error: any Error) {
    if handle.stop() { handler(.failure(error)) }
    handle.end()
  }

  override func completed() {
    if handle.stop() { handler(.failure(RxError.noElements)) }
    handle.end()
  }
}
