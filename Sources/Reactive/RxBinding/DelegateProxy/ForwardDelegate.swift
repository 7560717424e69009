public import CSwiftRuntime

/// The delegate that a proxy forwards to, held weakly or strongly.
///
/// `Delegate` is an existential that the compiler sees as any type, so it can be neither `weak` itself nor, without a
/// conditional cast for every call, got back from a weak `AnyObject`. Hence the existential's bits are kept without a
/// reference of their own, and whoever loads them takes over the one that `swift_tryRetain` gave.
///
/// The unowned reference keeps the memory of a delegate that has gone, not what it held, until the proxy notices. A weak
/// one would not, but costs a side table, which makes each later retain and release of the delegate a slow one.
///
/// Every call of every method loads it. No access to the properties lasts, so none needs to be checked for overlap.
@MainActor
@usableFromInline
final class ForwardDelegate<Delegate> {
  // Never read: that would trap once the delegate has gone.
  @exclusivity(unchecked) private unowned var memory: AnyObject?
  @exclusivity(unchecked) @usableFromInline var object: UnsafeMutableRawPointer?
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
    guard let object else { return retained }
    guard swift_tryRetain(object) != nil else {
      forget()
      return nil
    }
    // The existential whose bits point to the object takes over the reference.
    return bits.move()
  }

  /// Replaces the delegate. A value that is not an instance of a class cannot be held weakly and is always retained.
  func store(_ delegate: Delegate?, retain: Bool) {
    let previous = retained
    retained = nil
    forget()
    if let delegate {
      if retain || !(type(of: delegate as Any) is AnyObject.Type) {
        retained = delegate
      } else {
        withUnsafeBytes(of: delegate) { bytes in
          UnsafeMutableRawBufferPointer(start: bits, count: bytes.count).copyMemory(from: bytes)
        }
        memory = delegate as AnyObject
        object = Unmanaged.passUnretained(delegate as AnyObject).toOpaque()
      }
    }
    // What its deinitialiser does must find the new delegate.
    withExtendedLifetime(previous) {}
  }

  /// Lets go of a delegate that is held weakly.
  @usableFromInline
  func forget() {
    object = nil
    memory = nil
  }
}
