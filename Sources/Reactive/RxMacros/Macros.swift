#if Macros
  /// Writes the delegate proxy of a delegate protocol: a class beside it, of its name with `Proxy` at the end.
  ///
  ///     @DelegateProxy(of: Uploader.self)
  ///     @MainActor
  ///     protocol UploaderDelegate: AnyObject {
  ///       func uploader(_ uploader: Uploader, didSend bytes: Int)
  ///       func uploaderDidFinish(_ uploader: Uploader)
  ///       @Answer(true) func uploader(_ uploader: Uploader, shouldRetryAfter seconds: Int) -> Bool
  ///     }
  ///
  /// `UploaderDelegateProxy` has the initialiser, the registration, `forwarded`, a key and a stream for each method,
  /// and all methods. See the article "A macro for delegate proxies" of the module RxBinding.
  ///
  /// - Parameter parent: The class of the objects that have the delegate, as `Uploader.self`.
  @attached(peer, names: suffixed(Proxy))
  @attached(memberAttribute)
  public macro DelegateProxy<Parent: AnyObject>(of parent: Parent.Type) =
    #externalMacro(module: "RxMacrosPlugin", type: "DelegateProxyMacro")

  /// Writes the delegate proxy of a delegate protocol that is declared elsewhere and cannot be changed. The protocol
  /// that the attribute stands on lists its methods.
  ///
  ///     @DelegateProxy(of: LocationManager.self, for: (any LocationManagerDelegate).self)
  ///     @MainActor
  ///     private protocol LocationManagerCalls: AnyObject {
  ///       func locationManager(_ manager: LocationManager, didUpdateLocations locations: [Location])
  ///     }
  ///
  /// - Parameters:
  ///   - parent: The class of the objects that have the delegate.
  ///   - delegate: The delegate's type, an existential.
  @attached(peer, names: suffixed(Proxy))
  @attached(memberAttribute)
  public macro DelegateProxy<Parent: AnyObject, Delegate>(of parent: Parent.Type, for delegate: Delegate.Type) =
    #externalMacro(module: "RxMacrosPlugin", type: "DelegateProxyMacro")

  /// Says what a method of a delegate answers when the user has set no delegate. For ``DelegateProxy(of:)``.
  ///
  ///     @Answer(true) func uploader(_ uploader: Uploader, shouldRetryAfter seconds: Int) -> Bool
  ///
  /// The value is an expression of the method's type, evaluated at each call. A method that returns an optional answers
  /// `nil` without it.
  @attached(peer)
  public macro Answer<Value>(_ value: Value) = #externalMacro(module: "RxMacrosPlugin", type: "AnswerMacro")

  /// Says that a method of a delegate answers an empty array or dictionary when the user has set no delegate.
  @attached(peer)
  public macro Answer(_ value: EmptyAnswer) = #externalMacro(module: "RxMacrosPlugin", type: "AnswerMacro")

  /// What `[]` and `[:]` are in `@Answer([])`, where nothing else says of which type they are.
  public struct EmptyAnswer: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
    /// Takes `[]`.
    public init(arrayLiteral elements: Never...) {}
    /// Takes `[:]`.
    public init(dictionaryLiteral elements: (Never, Never)...) {}
  }

  /// What ``DelegateProxy(of:)`` adds to a method for each argument; this one accepts an argument that is `Sendable`.
  @attached(peer)
  public macro ObservedArgument(_ index: Int, _ check: Void) =
    #externalMacro(module: "RxMacrosPlugin", type: "AcceptedArgumentMacro")

  /// Refuses an argument that is not `Sendable`, at its place.
  @attached(peer)
  public macro ObservedArgument(_ index: Int, _ check: Never) =
    #externalMacro(module: "RxMacrosPlugin", type: "RefusedArgumentMacro")

  /// The type of an argument, for ``DelegateProxy(of:)``.
  public enum ObservedType<Value> {
    /// Chosen when `Value` is not `Sendable`.
    public static func check<Other>(_ other: Other) -> Never { fatalError() }
  }

  extension ObservedType where Value: Sendable {
    /// Chosen when `Value` is `Sendable`, because its parameter is the more special one.
    public static func check(_ other: Void) {}
  }
#endif
