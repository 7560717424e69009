/// Which elements of several sequences belong together.
enum JoinRule: Sendable {
  /// The latest of each.
  case latest
  /// The first of each, the second of each, and so on.
  case sameIndex
  /// As `sameIndex`; and it also completes when an element comes that can have no partner any more.
  case sameIndexEager
}

extension Observable {
  /// Joins the elements of sequences of different types: `combineLatest` and `zip`.
  static func join<each Input: Sendable>(
    _ rule: JoinRule, _ source: repeat Observable<each Input>,
    resultSelector: @escaping @Sendable (repeat each Input) throws -> Element
  ) -> Observable<Element> {
    Observable { downstream in
      let stage = JoinStage<Element>(downstream, rule) { slots in
        var index = 0
        return try resultSelector(repeat slots.takeNext((each Input).self, &index))
      }
      repeat stage.add(each source)
      return stage.connectAll()
    }
  }

  /// Joins the elements of sequences of one type.
  static func join<Input: Sendable>(
    _ rule: JoinRule, _ sources: [Observable<Input>], resultSelector: @escaping @Sendable ([Input]) throws -> Element
  ) -> Observable<Element> {
    Observable { downstream in
      let stage = JoinStage<Element>(downstream, rule) { slots in
        var index = 0
        return try resultSelector(sources.map { _ in try slots.takeNext(Input.self, &index) })
      }
      for source in sources { stage.add(source) }
      return stage.connectAll()
    }
  }
}

/// What a join remembers. The lock of its stage guards it and the slots.
private struct Join<Output: Sendable> {
  let rule: JoinRule
  /// Takes an element of each slot and makes one of them.
  let join: ([AnyJoinSlot]) throws -> Output
  var slots: [AnyJoinSlot] = []
  /// Subscribes to the inputs.
  var connections: [() -> any Disposable] = []
  /// How many inputs have no element to be joined.
  var empty = 0
  /// How many inputs go on.
  var live = 0
}

private typealias JoinStage<Output: Sendable> = LockedStage<Never, Output, Join<Output>>

extension LockedStage where Input == Never, State == Join<Output> {
  fileprivate convenience init(
    _ downstream: Sink<Output>, _ rule: JoinRule, _ join: @escaping ([AnyJoinSlot]) throws -> Output
  ) {
    self.init(downstream, Join(rule: rule, join: join)) { _, _ in }
  }

  /// Adds an input, before ``connectAll()``.
  fileprivate func add<Element: Sendable>(_ source: Observable<Element>) {
    let slot = state.rule == .latest ? LatestSlot<Element>() : QueueSlot<Element>()
    state.slots.append(slot)
    state.connections.append {
      let input = JoinInput(self, slot)
      input.setUpstream(source.subscribe(input))
      return input
    }
  }

  /// Subscribes to the inputs, when all of them have a slot.
  fileprivate func connectAll() -> Self {
    let connections = state.connections
    state.connections = []
    state.empty = connections.count
    state.live = connections.count
    openSources = connections.count
    setUpstream(Disposables.create(connections.map { $0() }))
    return self
  }

  fileprivate func elementArrived(wasEmpty: Bool) {
    if wasEmpty { state.empty -= 1 }
    if state.empty > 0 {
      if state.live == 1, state.rule != .sameIndex { finish() }
      return
    }
    do {
      let joined = try state.join(state.slots)
      if state.rule != .latest { state.empty = state.slots.count { $0.isEmpty } }
      downstream.next(joined)
    } catch {
      finish(error)
    }
  }

  fileprivate func inputCompleted() {
    state.live -= 1
    if state.live == 0 { finish() } else { closeSource() }
  }
}

/// One input of a join: not a ``ClosureSink``, which makes `combineLatest` 5 % slower. `@unchecked Sendable`:
/// immutable; the join's lock guards the slot.
private final class JoinInput<Element: Sendable, Output: Sendable>: Sink<Element>, @unchecked Sendable {
  private let join: JoinStage<Output>
  private let slot: JoinSlot<Element>

  init(_ join: JoinStage<Output>, _ slot: JoinSlot<Element>) {
    self.join = join
    self.slot = slot
  }

  override func next(_ element: Element) {
    join.locked {
      let wasEmpty = slot.isEmpty
      slot.put(element)
      join.elementArrived(wasEmpty: wasEmpty)
    }
  }

  override func error(_ error: any Error) {
    dispose()
    join.locked { join.finish(error) }
  }

  override func completed() {
    dispose()
    join.locked { join.inputCompleted() }
  }

  override func sourceGone() {
    join.sourceGone()
    release()
  }
}

/// The elements of one input that wait for the others. The join's lock guards it.
class AnyJoinSlot {
  /// Whether there is no element to be joined.
  fileprivate(set) final var isEmpty = true
}

private class JoinSlot<Element: Sendable>: AnyJoinSlot {
  func put(_ element: Element) {}

  /// The element to be joined now.
  func take() throws -> Element {
    throw RxError.noElements
  }
}

private final class QueueSlot<Element: Sendable>: JoinSlot<Element> {
  private var waiting = Queue<Element>()

  override func put(_ element: Element) {
    isEmpty = false
    waiting.append(element)
  }

  override func take() throws -> Element {
    guard let element = waiting.popFirst() else { throw RxError.noElements }
    isEmpty = waiting.isEmpty
    return element
  }
}

private final class LatestSlot<Element: Sendable>: JoinSlot<Element> {
  // In a box: for an optional element the runtime would be asked for its type at every event.
  private final class Latest {
    var element: Element

    init(_ element: Element) {
      self.element = element
    }
  }

  private var latest: Latest?

  override func put(_ element: Element) {
    isEmpty = false
    if let latest { latest.element = element } else { latest = Latest(element) }
  }

  override func take() throws -> Element {
    guard let latest else { throw RxError.noElements }
    return latest.element
  }
}

extension [AnyJoinSlot] {
  fileprivate func takeNext<Input: Sendable>(_ type: Input.Type, _ index: inout Int) throws -> Input {
    defer { index += 1 }
    // The slots were made in the order of the sources.
    guard let slot = self[index] as? JoinSlot<Input> else { throw RxError.unknown }
    return try slot.take()
  }
}
