/// A disposable whose content is set later, once (RxSwift).
///
/// Content that is set after `dispose()` is disposed right away. Setting it twice is a programmer's error and traps.
public final class SingleAssignmentDisposable: Cancelable {
  private struct State: Sendable {
    var isDisposed = false
    var isSet = false
    var content: (any Disposable)?
  }

  private let counted = CountedResource()
  private let state = Locked(State())

  /// A disposable without content.
  public init() {}

  /// Whether `dispose()` was called.
  public var isDisposed: Bool { state.withLock { $0.isDisposed } }

  /// Sets the content, once.
  public func setDisposable(_ disposable: any Disposable) {
    let late = state.withLock { state in
      precondition(!state.isSet, "the content of a SingleAssignmentDisposable was set twice")
      state.isSet = true
      if !state.isDisposed { state.content = disposable }
      return state.isDisposed
    }
    if late { disposable.dispose() }
  }

  /// Disposes the content, now or when it is set.
  public func dispose() {
    let content = state.withLock { state in
      state.isDisposed = true
      return state.content.take()
    }
    content?.dispose()
  }
}
