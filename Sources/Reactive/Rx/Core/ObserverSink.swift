/// The end of a chain that passes everything to an observer.
///
/// `@unchecked Sendable`: `observer` never changes.
final class ObserverSink<Element: Sendable>: EndSink<Element>, @unchecked Sendable {
  private let observer: Sink<Element>

  init(_ observer: AnyObserver<Element>) {
    self.observer = observer.sink
    super.init()
  }

  override func next(_ element: Element) {
    if handle.isLive { observer.next(element) }
  }

  // The observer may be a stage of a longer chain, as it is in `subscribe(on:)`.
  override func sourceGone() {
    observer.sourceGone()
    super.sourceGone()
  }

  override func error(_ error: any Error) {
    guard handle.stop() else { return }
    observer.error(error)
    handle.end()
  }

  override func completed() {
    guard handle.stop() else { return }
    observer.completed()
    handle.end()
  }
}
