/// The end of a chain that calls a closure for each kind of event.
///
/// `@unchecked Sendable`: the closures are `@Sendable` and never change.
final class CallbackSink<Element: Sendable>: EndSink<Element>, @unchecked Sendable {
  private let onNext: (@Sendable (Element) -> Void)?
  private let onError: (@Sendable (any Error) -> Void)?
  private let onCompleted: (@Sendable () -> Void)?

  init(
    onNext: (@Sendable (Element) -> Void)?,
    onError: (@Sendable (any Error) -> Void)?,
    onCompleted: (@Sendable () -> Void)?,
    onDisposed: (@Sendable () -> Void)?
  ) {
    self.onNext = onNext
    self.onError = onError
    self.onCompleted = onCompleted
    super.init(onDisposed: onDisposed)
  }

  override func next(_ element: Element) {
    if handle.isLive { onNext?(element) }
  }

  override func error(_ error: any Error) {
    guard handle.stop() else { return }
    if let onError {
      onError(error)
    } else {
      Hooks.unhandledError(error)
    }
    handle.end()
  }

  override func completed() {
    guard handle.stop() else { return }
    onCompleted?()
    handle.end()
  }
}
