/// Which elements of several sequences belong together.
enum JoinRule: Sendable {
  /// The latest of each.
  case latest
  /// The first of each, the second of each, and so on.
  case sameIndex
  /// As `sameIndex`; and it also completes when an element comes that can have no partner any more.
  case sameIndexEager
}

/// Joins the elements of several sequences: `combineLatest` and `zip`.
class JoinSink<Output: Sendable>: LockedSink<Never, Output>, @unchecked Sendable {
  final let rule: JoinRule
  /// How many inputs have no element to be joined.
  final var empty = 0
  /// How many inputs go on.
  final var live = 0

  init(_ downstream: Sink<Output>, _ rule: JoinRule) {
    self.rule = rule
    super.init(downstream)
  }

  /// Takes an element of each input and makes one of them.
  func join() throws -> Output {
    preconditionFailure("a join sink overrides join")
  }

  /// Subscribes to a source, whose elements wait in `slot`.
  final func connect<Element: Sendable>(_ source: Observable<Element>, _ slot: JoinSlot<Element>) -> any Disposable {
    observe(source) { [self] event in
      switch event {
      case .next(let element):
        if slot.isEmpty { empty -= 1 }
        slot.put(element, rule)
        elementArrived()
      case .error(let error):
        finish(error)
      case .completed:
        live -= 1
        if live == 0 { finish() }
      }
    }
  }

  /// The element of `slot` that is to be joined now.
  final func take<Element: Sendable>(_ slot: JoinSlot<Element>) throws -> Element {
    guard let element = slot.take(rule) else { throw RxError.noElements }
    if slot.isEmpty { empty += 1 }
    return element
  }

  private func elementArrived() {
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
}

/// The elements of one source that wait to be joined.
///
/// `@unchecked Sendable`: the join's `lock` guards `elements`.
final class JoinSlot<Element: Sendable>: @unchecked Sendable {
  private var elements = Queue<Element>()

  var isEmpty: Bool {
    elements.isEmpty
  }

  func put(_ element: Element, _ rule: JoinRule) {
    if rule == .latest { elements.removeAll(keepingCapacity: true) }
    elements.append(element)
  }

  func take(_ rule: JoinRule) -> Element? {
    rule == .latest ? elements.first : elements.popFirst()
  }
}

/// Joins sequences of different types.
final class TupleJoinSink<Output: Sendable, each Element: Sendable>: JoinSink<Output>, @unchecked Sendable {
  private let selector: @Sendable (repeat each Element) throws -> Output
  private let slots: (repeat JoinSlot<each Element>)

  init(
    _ downstream: Sink<Output>, _ rule: JoinRule, _ selector: @escaping @Sendable (repeat each Element) throws -> Output
  ) {
    self.selector = selector
    slots = (repeat JoinSlot<each Element>())
    super.init(downstream, rule)
  }

  func connect(_ source: repeat Observable<each Element>) -> Self {
    for _ in repeat each source { live += 1 }
    empty = live
    var subscriptions: [any Disposable] = []
    repeat subscriptions.append(connect(each source, each slots))
    setUpstream(Disposables.create(subscriptions))
    return self
  }

  override func join() throws -> Output {
    try selector(repeat try take(each slots))
  }
}

/// Joins any number of sequences of one type.
final class ListJoinSink<Output: Sendable, Element: Sendable>: JoinSink<Output>, @unchecked Sendable {
  private let selector: @Sendable ([Element]) throws -> Output
  private var slots: [JoinSlot<Element>] = []

  init(_ downstream: Sink<Output>, _ rule: JoinRule, _ selector: @escaping @Sendable ([Element]) throws -> Output) {
    self.selector = selector
    super.init(downstream, rule)
  }

  func connect(_ sources: [Observable<Element>]) -> Self {
    live = sources.count
    empty = live
    slots = sources.map { _ in JoinSlot() }
    let subscriptions = zip(sources, slots).map { connect($0, $1) }
    if sources.isEmpty { finish() }
    setUpstream(Disposables.create(subscriptions))
    return self
  }

  override func join() throws -> Output {
    try selector(try slots.map { try take($0) })
  }
}
