/// Disposes its content when it was disposed itself and so was everything it handed out (RxSwift).
public final class RefCountDisposable: Cancelable {
  private struct State: Sendable {
    var content: (any Disposable)?
    var isPrimaryDisposed = false
    var count = 0

    mutating func takeIfUnused() -> (any Disposable)? { isPrimaryDisposed && count == 0 ? content.take() : nil }
  }

  private let counted = CountedResource()
  private let state: Locked<State>

  /// Holds `disposable`.
  public init(disposable: any Disposable) { state = Locked(State(content: disposable)) }

  /// Whether the content was disposed.
  public var isDisposed: Bool { state.withLock { $0.content == nil } }

  /// Hands out a disposable that keeps the content alive until it is disposed.
  public func retain() -> any Disposable {
    let isLive = state.withLock { state in
      guard state.content != nil else { return false }
      state.count += 1
      return true
    }
    return isLive ? Disposables.create { self.release() } : Disposables.create()
  }

  /// Disposes the content as soon as nothing that was handed out is live.
  public func dispose() {
    let content = state.withLock { state in
      state.isPrimaryDisposed = true
      return state.takeIfUnused()
    }
    content?.dispose()
  }

  private func release() {
    let content = state.withLock { state in
      state.count -= 1
      return state.takeIfUnused()
    }
    content?.dispose()
  }
}
