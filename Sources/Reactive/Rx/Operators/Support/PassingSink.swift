/// Passes its source's events on, serialised with what else is done under its lock.
///
/// `@unchecked Sendable`: see ``LockedSink``.
class PassingSink<Element: Sendable>: LockedSink<Element, Element>, @unchecked Sendable {
  override func receive(_ element: Element) {
    downstream.next(element)
  }
}
