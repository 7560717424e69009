public import Rx

/// Names one method of a delegate protocol and says what it is called with. It stands where RxCocoa takes a selector,
/// and carries the types that a selector does not.
///
/// Keys are static members, found by a leading dot; the property's own name becomes the key's:
///
///     extension DelegateMethod
///     where Delegate == any LocationManagerDelegate, Arguments == (manager: LocationManager, locations: [Location]) {
///       public static var didUpdateLocations: Self { Self() }
///     }
///
/// Two keys are the same method when their names and their `Arguments` are the same. A debug build warns when a method is
/// observed by a key of the same name with other `Arguments`. `Arguments` is a tuple that the
/// author chooses, with or without labels, or a single type; all of it is `Sendable`, as every stream's elements are.
public struct DelegateMethod<Delegate, Arguments: Sendable>: Sendable, CustomStringConvertible {
  /// The method's name: unique among the keys of one delegate protocol.
  public let name: String

  /// Creates a key. Without a name it takes that of the property that creates it.
  @inlinable
  public init(_ name: String = #function) {
    self.name = name
  }

  /// The method's name.
  public var description: String { name }
}

// What follows is never called. With it the compiler has one thing to say about a key that does not exist, "type
// 'DelegateMethod<…>' has no member 'didWeight'". Without the proxy's forms it adds that it cannot infer the arguments,
// or a closure's parameter; without the binder's, which `object.rx.delegate` may be read as, it says that a binder has
// no `methodInvoked`.

/// The arguments of a method that does not exist.
@dynamicMemberLookup
public enum UnknownArguments: Sendable {
  /// Any argument.
  public subscript<Argument>(dynamicMember name: StaticString) -> Argument {
    switch self {}
  }

  /// Any argument, where nothing says of which type.
  public subscript(dynamicMember name: StaticString) -> UnknownArguments {
    switch self {}
  }
}

extension DelegateProxy {
  /// The calls of a method that does not exist.
  @available(*, unavailable, message: "the delegate has no such method")
  @_disfavoredOverload
  public final func sentMessage(_ method: DelegateMethod<Delegate, UnknownArguments>) -> Observable<UnknownArguments> {
    .empty()
  }

  /// The calls of a method that does not exist.
  @available(*, unavailable, message: "the delegate has no such method")
  @_disfavoredOverload
  public final func methodInvoked(
    _ method: DelegateMethod<Delegate, UnknownArguments>
  ) -> Observable<UnknownArguments> {
    .empty()
  }

  /// Whether a method that does not exist has a subscriber.
  @available(*, unavailable, message: "the delegate has no such method")
  @_disfavoredOverload
  public final func isObserved(_ method: DelegateMethod<Delegate, UnknownArguments>) -> Bool {
    false
  }
}

extension Binder {
  /// Not of a binder, but of a ``DelegateProxy``.
  @available(*, unavailable, message: "write an extension of Reactive with `var delegate: DelegateProxy<…>`")
  public func sentMessage<Delegate, Arguments: Sendable>(
    _ method: DelegateMethod<Delegate, Arguments>
  ) -> Observable<Arguments> where Value == Delegate? {
    .empty()
  }

  /// Not of a binder, but of a ``DelegateProxy``.
  @available(*, unavailable, message: "write an extension of Reactive with `var delegate: DelegateProxy<…>`")
  public func methodInvoked<Delegate, Arguments: Sendable>(
    _ method: DelegateMethod<Delegate, Arguments>
  ) -> Observable<Arguments> where Value == Delegate? {
    .empty()
  }

  /// Not of a binder, but of a ``DelegateProxy``.
  @available(*, unavailable, message: "write an extension of Reactive with `var delegate: DelegateProxy<…>`")
  public func isObserved<Delegate, Arguments: Sendable>(
    _ method: DelegateMethod<Delegate, Arguments>
  ) -> Bool where Value == Delegate? {
    false
  }
}
