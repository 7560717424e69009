import Synchronization

/// Remembers whether it was disposed, for loops that look (RxSwift's `BooleanDisposable`).
public final class BooleanDisposable: Cancelable {
  private let disposed: Atomic<Bool>

  /// A disposable that is not disposed.
  public convenience init() {
    self.init(isDisposed: false)
  }

  /// A disposable that is disposed already, or not.
  public init(isDisposed: Bool) {
    disposed = Atomic(isDisposed)
  }

  /// Whether `dispose()` was called.
  public var isDisposed: Bool {
    disposed.load(ordering: .acquiring)
  }

  /// Makes ``isDisposed`` true.
  public func dispose() {
    disposed.store(true, ordering: .releasing)
  }
}
