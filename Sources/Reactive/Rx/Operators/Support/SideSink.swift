/// Hands the events of a sequence to a closure. It is disposed before it hands over a terminal event.
///
/// `@unchecked Sendable`: its closures are `@Sendable` and never change.
final class SideSink<Element: Sendable>: Sink<Element>, Cancelable, @unchecked Sendable {
  private let handler: @Sendable (Event<Element>) -> Void
  private let onGone: (@Sendable () -> Void)?

  init(_ handler: @escaping @Sendable (Event<Element>) -> Void, onGone: (@Sendable () -> Void)? = nil) {
    self.handler = handler
    self.onGone = onGone
  }

  override func sourceGone() {
    onGone?()
    release()
  }

  override func next(_ element: Element) {
    if !isDisposed { handler(.next(element)) }
  }

  override func error(_ error: any Error) {
    guard !isDisposed else { return }
    dispose()
    handler(.error(error))
  }

  override func completed() {
    guard !isDisposed else { return }
    dispose()
    handler(.completed)
  }
}
