/// A disposable whose content can be replaced; the old content is disposed (RxSwift).
public final class SerialDisposable: Cancelable {
  private struct State: Sendable {
    var isDisposed = false
    var content: (any Disposable)?
  }

  private let counted = CountedResource()
  private let state = Locked(State())

  /// A disposable without content.
  public init() {}

  /// Whether `dispose()` was called.
  public var isDisposed: Bool { state.withLock { $0.isDisposed } }

  /// The content. Setting it disposes the old one, and also the new one when this is disposed already. Reads as a
  /// disposable without effect while there is no content.
  public var disposable: any Disposable {
    get { state.withLock { $0.content } ?? Disposables.create() }
    set {
      let stale: (any Disposable)? = state.withLock { state in
        if state.isDisposed { return newValue }
        let old = state.content
        state.content = newValue
        return old
      }
      stale?.dispose()
    }
  }

  /// Disposes the content, and everything that becomes the content later.
  public func dispose() {
    let content = state.withLock { state in
      state.isDisposed = true
      return state.content.take()
    }
    content?.dispose()
  }
}
