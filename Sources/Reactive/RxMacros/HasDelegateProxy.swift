#if Macros
  // The written class uses both, so a file with the macro has to see them.
  @_exported public import Rx
  @_exported public import RxBinding

  /// A class whose delegate proxy was written by ``DelegateProxy(of:)``. One line names it; then `rx` has the streams:
  ///
  ///     final class Uploader: DelegateProxyHolder, HasDelegateProxy {
  ///       typealias Proxy = UploaderDelegateProxy
  ///       …
  ///     }
  ///
  ///     uploader.rx.didSend.subscribe(onNext: { bytes in … })
  @MainActor
  public protocol HasDelegateProxy: HasDelegate, ReactiveCompatible {
    /// The class that the macro wrote.
    associatedtype Proxy: StreamingDelegateProxy where Proxy.Delegate == Delegate
  }

  /// A delegate proxy that offers a stream for each method, as those do that ``DelegateProxy(of:)`` writes.
  @MainActor
  public protocol StreamingDelegateProxy: DelegateProxyType where ParentObject: Sendable {
    /// The streams, one property for each.
    associatedtype MethodStreams

    /// The streams of the methods.
    var methodStreams: MethodStreams { get }
  }

  extension RxBinding.DelegateProxy {
    /// The arguments of a call, for the written methods.
    @inlinable
    public func observed<Arguments: Sendable>(arguments: Arguments) -> Arguments { arguments }

    /// What `element` makes of the calls of a method, for the written streams.
    public func stream<Arguments: Sendable, Element: Sendable>(
      of name: String, _ element: @escaping @Sendable (Arguments) -> Element
    ) -> ControlEvent<Element> {
      ControlEvent(events: methodInvoked(.init(name)).map(element))
    }
  }

  extension StreamingDelegateProxy {
    /// The compiler chooses this one for arguments that are not `Sendable`. The macro refuses
    /// them at their place; without this, the compiler would do so at each call in the written class as well.
    public func observed<Arguments>(arguments: Arguments) -> Never { fatalError() }
  }

  @MainActor
  extension Reactive where Base: HasDelegateProxy {
    /// The delegate proxy.
    public var delegate: Base.Proxy {
      guard let parent = base as? Base.Proxy.ParentObject else {
        fatalError("Delegate proxy: \(Base.self).Proxy is the proxy of another class, \(Base.Proxy.ParentObject.self).")
      }
      return Base.Proxy.proxy(for: parent)
    }

    /// The calls of a method, without the object, after the user's own delegate was called: `uploader.rx.didSend`.
    public subscript<Element>(
      dynamicMember stream: KeyPath<Base.Proxy.MethodStreams, ControlEvent<Element>>
    ) -> ControlEvent<Element> {
      delegate.methodStreams[keyPath: stream]
    }

    /// Has a delegate called besides the streams until the result is disposed, held weakly unless `retainDelegate`.
    public func setDelegate(_ delegate: Base.Delegate, retainDelegate: Bool = false) -> any Disposable {
      guard let parent = base as? Base.Proxy.ParentObject else { return Disposables.create() }
      return Base.Proxy.installForwardDelegate(delegate, retainDelegate: retainDelegate, onProxyForObject: parent)
    }
  }
#endif
