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
public struct DelegateMethod<Delegate, Arguments: Sendable>: Sendable {
  /// The method's name: unique among those of one delegate protocol that take the same `Arguments`.
  public let name: StaticString

  /// Creates a key. Without a name it takes that of the property that creates it.
  @inlinable
  public init(_ name: StaticString = #function) {
    self.name = name
  }

  /// One bit of 64, which the optimiser computes at compile time. Methods that share one are told apart by their names.
  @inlinable var bit: UInt64 {
    guard name.hasPointerRepresentation else { return 1 }
    let count = name.utf8CodeUnitCount
    guard count > 0 else { return 1 }
    let sum = count &* 5 &+ Int(name.utf8Start[0]) &* 3 &+ Int(name.utf8Start[count / 2]) &* 7
    return 1 &<< UInt64(truncatingIfNeeded: sum &+ Int(name.utf8Start[count - 1]))
  }
}

extension DelegateMethod: CustomStringConvertible {
  /// The method's name.
  public var description: String { "\(name)" }
}
