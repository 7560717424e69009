import Rx

/// Remembers which delegate was installed, without holding it, so that only that one is removed again.
@MainActor
final class ForwardDelegateInstallation {
  private weak var delegate: AnyObject?
  private let remove: @MainActor (AnyObject) -> Void

  init(_ delegate: AnyObject, remove: @escaping @MainActor (AnyObject) -> Void) {
    self.delegate = delegate
    self.remove = remove
  }

  /// Removes the delegate if it is still there: at once on the main queue, otherwise as soon as that is free.
  nonisolated func end() {
    MainQueue.run {
      guard let delegate = self.delegate else { return }
      self.remove(delegate)
    }
  }
}
