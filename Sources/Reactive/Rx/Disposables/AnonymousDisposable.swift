import Synchronization

/// Calls a closure when it is disposed, once.
final class AnonymousDisposable: DisposeBase, Cancelable, @unchecked Sendable {
  private let disposed = Atomic<Bool>(false)
  // Touched by the initialiser and by the one thread that sets `disposed`.
  private var action: (@Sendable () -> Void)?

  init(_ action: @escaping @Sendable () -> Void) {
    self.action = action
  }

  var isDisposed: Bool {
    disposed.load(ordering: .acquiring)
  }

  func dispose() {
    guard !disposed.exchange(true, ordering: .acquiringAndReleasing) else { return }
    let action = action
    self.action = nil
    action?()
  }
}

/// Disposes a fixed list of disposables, once.
final class StaticCompositeDisposable: DisposeBase, Cancelable, @unchecked Sendable {
  private let disposed = Atomic<Bool>(false)
  // Touched by the initialiser and by the one thread that sets `disposed`.
  private var disposables: [any Disposable]

  init(_ disposables: [any Disposable]) {
    self.disposables = disposables
  }

  var isDisposed: Bool {
    disposed.load(ordering: .acquiring)
  }

  func dispose() {
    guard !disposed.exchange(true, ordering: .acquiringAndReleasing) else { return }
    let disposables = disposables
    self.disposables = []
    for disposable in disposables {
      disposable.dispose()
    }
  }
}
