/// What an object holds for those who stand between it and its delegate, as a delegate proxy does.
///
/// Swift has no associated objects, so the object gives it a place. It is held strongly: it must hold the object weakly, or
/// neither is ever released.
@MainActor
public protocol DelegateObserver: AnyObject {
  /// Somebody has set the object's delegate. It is not called when a delegate is released and the reference becomes `nil`
  /// by itself.
  func delegateDidChange()
}
