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
  public init(_ name: String = #function) { self.name = name }

  /// The method's name.
  public var description: String { name }
}
