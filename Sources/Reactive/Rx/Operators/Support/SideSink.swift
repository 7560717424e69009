/// Hands the events of a sequence to a closure, and disposes itself before it hands over a terminal event.
///
/// `@unchecked Sendable`: immutable.
final class SideSink<Element: Sendable>: Sink<Element>, Cancelable, @unchecked Sendable {
  private let handler: @Sendable (Event<Element>) -> Void

  init(_ handler: @escaping @Sendable (Event<Element>) -> Void) {
    self.handler = handler
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
