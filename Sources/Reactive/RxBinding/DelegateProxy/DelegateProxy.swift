public import Rx

/// The base class of delegate proxies: it stands where a parent's delegate stands, turns calls into streams, and
/// forwards them to the user's own delegate (RxCocoa).
///
/// A subclass conforms to the delegate's protocol and writes each of its methods with `invoke`; it is made by
/// ``DelegateProxyType/proxy(for:)`` only. For each call, in this order: ``sentMessage(_:)`` has an element, the user's
/// delegate is called, ``methodInvoked(_:)`` has an element.
///
/// The parent owns its proxy, and the proxy holds the parent weakly. When the parent goes, all streams complete.
@MainActor
open class DelegateProxy<Parent: AnyObject, ParentDelegate> {
  /// The class of the objects that have the delegate.
  public typealias ParentObject = Parent

  /// The delegate's type.
  public typealias Delegate = ParentDelegate

  /// The object whose delegate this is; `nil` once that is gone.
  public private(set) final weak var parentObject: ParentObject?

  /// The methods that have subscribers.
  public final let observedMethods = ObservedMethods()

  // What only the subclass can do: it knows the types.
  private final let currentDelegate: @MainActor (ParentObject) -> Delegate?
  private final let setCurrentDelegate: @MainActor (Delegate?, ParentObject) -> Void
  private final let forwarded: @MainActor (DelegateProxy) -> Delegate?
  private final let setForwarded: @MainActor (Delegate?, DelegateProxy) -> Void

  private final var retainedDelegate: Delegate?
  final private(set) var forwardSettings = 0
  private final var isInstalled = false
  private final var isInstalling = false
  private final var hasWarned = false

  /// Creates the proxy of `parentObject`. Only a subclass's initialiser calls it. The parent is held weakly;
  /// `delegateProxy` is the subclass.
  public init<Proxy: DelegateProxyType>(parentObject: ParentObject, delegateProxy: Proxy.Type)
  where Proxy: DelegateProxy<ParentObject, Delegate>, Proxy.ParentObject == ParentObject, Proxy.Delegate == Delegate {
    self.parentObject = parentObject
    currentDelegate = { delegateProxy.currentDelegate(for: $0) }
    setCurrentDelegate = { delegateProxy.setCurrentDelegate($0, to: $1) }
    forwarded = { ($0 as? Proxy)?.forwarded }
    setForwarded = { ($1 as? Proxy)?.forwarded = $0 }
    observedMethods.onChange = { [weak self] in self?.observationDidChange() }
  }

  isolated deinit { observedMethods.complete() }

  // MARK: Streams

  /// The calls of a method, each before the user's delegate has it. Completes when the parent goes.
  public final func sentMessage<Arguments>(_ method: DelegateMethod<Delegate, Arguments>) -> Observable<Arguments> {
    reinstall(isReported: false)
    return observedMethods.stream(of: method, .sentMessage)
  }

  /// The calls of a method, each after the user's delegate had it. Completes when the parent goes.
  public final func methodInvoked<Arguments>(_ method: DelegateMethod<Delegate, Arguments>) -> Observable<Arguments> {
    reinstall(isReported: false)
    return observedMethods.stream(of: method, .methodInvoked)
  }

  /// Whether the calls of `method` have a subscriber. It takes the place of RxCocoa's `responds(to:)`.
  public final func isObserved<Arguments>(_ method: DelegateMethod<Delegate, Arguments>) -> Bool {
    observedMethods.observers(of: method, .sentMessage) != nil
      || observedMethods.observers(of: method, .methodInvoked) != nil
  }

  /// Called whenever a method has got its first observer or lost its last one, for a subclass that wants to switch
  /// something of its parent on and off. Does nothing by itself.
  open func observationDidChange() {}

  // MARK: The user's delegate

  /// The user's own delegate: set before the proxy was made, or later.
  public final func forwardToDelegate() -> Delegate? { forwarded(self) }

  /// The user's own delegate, for a caller that does not know the proxy's class. It is `nil` if it is not of this type,
  /// which is an existential as a rule: `(any ScaleDelegate).self`. The caller is the default implementation of `method`:
  /// if that is observed, a debug build warns that the proxy does not write it.
  public final func forwardToDelegate<Other>(as type: Other.Type, method: String = #function) -> Other? {
    #if DEBUG
      observedMethods.warnOfDefault(of: method, in: Self.self)
    #endif
    return forwardToDelegate() as? Other
  }

  /// Sets the user's own delegate, which has every call from now on. The proxy holds it weakly unless `retainDelegate`.
  open func setForwardToDelegate(_ forwardToDelegate: Delegate?, retainDelegate: Bool) {
    // The old delegate is released last: its deinitialiser must find the new one in place.
    let previous = retainedDelegate
    forwardSettings += 1
    retainedDelegate = retainDelegate ? forwardToDelegate : nil
    setForwarded(forwardToDelegate, self)
    withExtendedLifetime(previous) {}
  }
}

extension DelegateProxy: ForwardingDelegate, InstalledDelegateProxy {
  final func reinstall(isReported: Bool) {
    // Installing the proxy makes the parent call this again.
    guard !isInstalling, let parent = parentObject else { return }
    let current = currentDelegate(parent)
    guard !isSame(current, self) else {
      isInstalled = true
      return
    }
    isInstalling = true
    defer { isInstalling = false }
    if isInstalled, !isReported { warnOfReplacement(parent) }
    if !isSame(current, forwardToDelegate()) { setForwardToDelegate(current, retainDelegate: false) }
    guard let delegate = self as? Delegate else {
      DelegateProxyFault.raise("\(type(of: self)) does not conform to \(Delegate.self): declare that it does.")
    }
    setCurrentDelegate(delegate, parent)
    isInstalled = true
  }

  final func parentDidGo() {
    observedMethods.complete()
    removeForwardDelegate()
  }

  final func removeForwardDelegate() { setForwardToDelegate(nil, retainDelegate: false) }

  private func isSame(_ one: Any?, _ other: Any?) -> Bool {
    guard let one, let other else { return one == nil && other == nil }
    return (one as AnyObject) === (other as AnyObject)
  }

  private func warnOfReplacement(_ parent: ParentObject) {
    guard !hasWarned else { return }
    hasWarned = true
    DelegateProxyFault.warn(
      """
      The delegate of \(parent) was replaced after \(type(of: self)) had taken its place, and observers missed what was \
      called since. It is forwarded to from now on. Set it with setDelegate(_:), or let the parent report changes to \
      DelegateProxies.delegateDidChange().
      """)
  }
}
