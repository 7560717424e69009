/// The delegate that a proxy forwards to, held weakly or strongly.
///
/// `Delegate` is an existential that the compiler sees as any type, so it can be neither `weak` itself nor, without a
/// conditional cast for every call, got back from a weak `AnyObject`. Hence the existential's bits are kept without a
/// reference of their own, and whoever loads them takes over the one that the weak reference gave.
///
/// Every call of every method loads it. No access to the properties lasts, so none needs to be checked for overlap.
@MainActor
@usableFromInline
final class ForwardDelegate<Delegate> {
  @exclusivity(unchecked) @usableFromInline weak var object: AnyObject?
  // Unsafe only in that the deinitialiser, which nothing runs beside, frees it off the main actor.
  @usableFromInline nonisolated(unsafe) let bits: UnsafeMutablePointer<Delegate>
  @exclusivity(unchecked) @usableFromInline var retained: Delegate?

  init() {
    bits = .allocate(capacity: 1)
  }

  deinit {
    bits.deallocate()
  }

  /// The delegate, if there is one and it is alive.
  @inlinable
  @inline(__always)
  func load() -> Delegate? {
    if let retained { return retained }
    guard let object else { return nil }
    // The reference is handed to the existential whose bits point to the same object: no further retain.
    _ = Unmanaged.passRetained(object)
    return bits.move()
  }

  /// Replaces the delegate. A value that is not an instance of a class cannot be held weakly and is always retained.
  func store(_ delegate: Delegate?, retain: Bool) {
    let previous = retained
    retained = nil
    object = nil
    if let delegate {
      if retain || !(type(of: delegate as Any) is AnyObject.Type) {
        retained = delegate
      } else {
        withUnsafeBytes(of: delegate) { bytes in
          UnsafeMutableRawBufferPointer(start: bits, count: bytes.count).copyMemory(from: bytes)
        }
        object = delegate as AnyObject
      }
    }
    // What its deinitialiser does must find the new delegate.
    withExtendedLifetime(previous) {}
  }
}
