/// Joins the elements of several sequences: `combineLatest` and `zip`.
///
/// `@unchecked Sendable`: `lock` guards the state, also that of the inputs.
class JoinSink<Output: Sendable>: LockedSink<Never, Output>, @unchecked Sendable {
  /// Which elements belong together.
  enum Rule: Sendable {
    /// The latest of each input.
    case latest
    /// The first of each input, the second of each, and so on.
    case sameIndex
    /// As `sameIndex`, and it also completes as soon as an element comes that can have no partner any more.
    case sameIndexEager
  }

  fileprivate final let rule: Rule
  /// How many inputs have no element.
  fileprivate final var empty: Int
  /// How many inputs go on.
  fileprivate final var live: Int

  fileprivate init(_ downstream: Sink<Output>, _ rule: Rule, inputs: Int) {
    self.rule = rule
    empty = inputs
    live = inputs
    super.init(downstream)
  }

  /// Takes an element of each input and makes one of them.
  fileprivate func join() throws -> Output {
    preconditionFailure("a join sink overrides join")
  }

  fileprivate final func elementArrived() {
    if empty > 0 {
      if live == 1, rule != .sameIndex { finish() }
      return
    }
    do {
      downstream.next(try join())
    } catch {
      finish(error)
    }
  }

  fileprivate final func inputCompleted() {
    live -= 1
    if live == 0 { finish() }
  }
}

/// One input of a join, with the elements that have not been joined.
///
/// `@unchecked Sendable`: the join's `lock` guards `elements`; `source` is immutable.
final class JoinInput<Element: Sendable, Output: Sendable>: Sink<Element>, @unchecked Sendable {
  private let parent: JoinSink<Output>
  private let source: Observable<Element>
  private var elements = Queue<Element>()

  fileprivate init(_ source: Observable<Element>, _ parent: JoinSink<Output>) {
    self.source = source
    self.parent = parent
  }

  fileprivate func connect() {
    setUpstream(source.subscribe(self))
  }

  override func next(_ element: Element) {
    parent.locked {
      if isDisposed { return }
      if elements.isEmpty {
        parent.empty -= 1
      } else if parent.rule == .latest {
        elements.removeAll(keepingCapacity: true)
      }
      elements.append(element)
      parent.elementArrived()
    }
  }

  override func error(_ error: any Error) {
    dispose()
    parent.locked { parent.finish(error) }
  }

  override func completed() {
    parent.locked {
      if isDisposed { return }
      dispose()
      parent.inputCompleted()
    }
  }

  /// The element to be joined now.
  fileprivate func take() throws -> Element {
    guard let element = parent.rule == .latest ? elements.first : elements.popFirst() else { throw RxError.noElements }
    if elements.isEmpty { parent.empty += 1 }
    return element
  }
}
