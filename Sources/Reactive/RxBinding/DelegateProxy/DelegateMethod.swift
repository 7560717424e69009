public import Rx

/// Names one method of a delegate protocol and says what it is called with. It stands where RxCocoa takes a selector, and
/// carries the types that a selector does not.
///
/// Keys are static members, found by a leading dot; the property's own name becomes the key's:
///
///     extension DelegateMethod
///     where Delegate == any LocationManagerDelegate, Arguments == (manager: LocationManager, locations: [Location]) {
///       public static var didUpdateLocations: Self { Self() }
///     }
///
/// Two keys are the same method when their names and their `Arguments` are the same. `Arguments` is a tuple that the
/// author chooses, with or without labels, or a single type; all of it is `Sendable`, as every stream's elements are.
public struct DelegateMethod<Delegate, Arguments: Sendable>: Sendable, CustomStringConvertible {
  /// The method's name: unique among those of one delegate protocol that take the same `Arguments`.
  public let name: String

  /// Creates a key. Without a name it takes that of the property that creates it.
  @inlinable
  public init(_ name: String = #function) {
    self.name = name
  }

  /// The method's name.
  public var description: String { name }
}

// `object.rx.delegate` may be read as a binder to the object's `delegate` as well. Without these, the compiler answers a key
// that does not exist with "value of type 'Binder<…>' has no member 'methodInvoked'" in the place of the key's name.
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
}
