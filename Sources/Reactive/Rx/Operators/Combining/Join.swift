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
      let stage = JoinStage<Element>(downstream, rule) { stage in
        var index = 0
        return try resultSelector(repeat stage.takeNext((each Input).self, &index))
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
      let stage = JoinStage<Element>(downstream, rule) { stage in
        var index = 0
        return try resultSelector(sources.map { _ in try stage.takeNext(Input.self, &index) })
      }
      for source in sources { stage.add(source) }
      return stage.connectAll()
    }
  }
}

/// The sink of a join. `@unchecked Sendable`: the variables are set before the inputs are subscribed to, and from then on
/// touched inside of the gate only.
private final class JoinStage<Output: Sendable>: OperatorSink<Never, Output>, @unchecked Sendable {
  private let rule: JoinRule
  /// Takes an element of each slot and makes one of them.
  private let join: (JoinStage) throws -> Output
  private let gate = SerialGate()
  private var slots: [AnyJoinSlot] = []
  /// Subscribes to the inputs.
  private var connections: [() -> any Disposable] = []
  /// How many inputs have no element to be joined.
  private var empty = 0
  /// How many inputs go on.
  private var live = 0
  /// How many inputs may still send something.
  private var open = 0

  init(_ downstream: Sink<Output>, _ rule: JoinRule, _ join: @escaping (JoinStage) throws -> Output) {
    self.rule = rule
    self.join = join
    super.init(downstream)
  }

  /// Adds an input, before ``connectAll()``.
  func add<Element: Sendable>(_ source: Observable<Element>) {
    let slot = rule == .latest ? LatestSlot<Element>() : QueueSlot<Element>()
    slots.append(slot)
    connections.append {
      let input = JoinInput(self, slot)
      input.setUpstream(source.subscribe(input))
      return input
    }
  }

  /// Subscribes to the inputs, when all of them have a slot.
  func connectAll() -> Self {
    let connections = connections
    self.connections = []
    (empty, live, open) = (connections.count, connections.count, connections.count)
    setUpstream(Disposables.create(connections.map { isCut ? Disposables.create() : $0() }))
    return self
  }

  /// Calls `now` inside of the gate, unless the sink is disposed, or leaves `later` to the thread that is inside.
  @inline(__always)
  func enter(_ now: () -> Void, orLater later: () -> SerialGate.Delivery) {
    gate.run {
      if !isDisposed { now() }
    } orLater: {
      let later = later()
      return { if !self.isDisposed { later() } }
    }
  }

  func enter(_ action: @escaping SerialGate.Delivery) { enter(action, orLater: { action }) }

  func elementArrived(wasEmpty: Bool) {
    if wasEmpty { empty -= 1 }
    if empty > 0 {
      if live == 1, rule != .sameIndex { finish() }
      return
    }
    do {
      downstream.next(try join(self))
    } catch {
      finish(error)
    }
  }

  /// The element of the input at `index` that is to be joined now. The count of empty inputs is right before the user's
  /// closure runs, which may send the next element.
  func takeNext<Input: Sendable>(_ type: Input.Type, _ index: inout Int) throws -> Input {
    // The slots were made in the order of the sources; a cast that looks at the type takes a third of an event's time.
    let slot = unsafeDowncast(slots[index], to: JoinSlot<Input>.self)
    index += 1
    let element = try slot.take()
    if slot.isEmpty { empty += 1 }
    return element
  }

  func inputCompleted() {
    live -= 1
    if live == 0 { finish() } else { inputGone() }
  }

  func inputGone() {
    open -= 1
    if open == 0 { passSourceGone() }
  }
}

/// One input of a join: not a ``ClosureSink``, which makes `combineLatest` 5 % slower. `@unchecked Sendable`:
/// immutable; the join's gate guards the slot.
private final class JoinInput<Element: Sendable, Output: Sendable>: Sink<Element>, @unchecked Sendable {
  private let join: JoinStage<Output>
  private let slot: JoinSlot<Element>

  init(_ join: JoinStage<Output>, _ slot: JoinSlot<Element>) {
    self.join = join
    self.slot = slot
  }

  override var isCut: Bool { isDisposed || join.isCut }

  override func next(_ element: Element) {
    join.enter {
      receive(element)
    } orLater: {
      { self.receive(element) }
    }
  }

  override func error(_ error: any Error) {
    dispose()
    join.enter { [join] in join.finish(error) }
  }

  override func completed() {
    dispose()
    join.enter { [join] in join.inputCompleted() }
  }

  override func sourceGone() {
    join.enter { [join] in join.inputGone() }
    release()
  }

  private func receive(_ element: Element) {
    let wasEmpty = slot.isEmpty
    slot.put(element)
    join.elementArrived(wasEmpty: wasEmpty)
  }
}

/// The elements of one input that wait for the others. The join's gate guards it.
class AnyJoinSlot {
  /// Whether there is no element to be joined.
  fileprivate(set) final var isEmpty = true
}

private class JoinSlot<Element: Sendable>: AnyJoinSlot {
  func put(_ element: Element) {}

  /// The element to be joined now.
  func take() throws -> Element { throw RxError.noElements }
}

private final class QueueSlot<Element: Sendable>: JoinSlot<Element> {
  // Links in the place of a `Queue` or a `Line`: for these the runtime would be asked for types at every event.
  private var oldest: Link<Element>?
  private var newest: Link<Element>?

  override func put(_ element: Element) {
    let link = Link(element)
    if let newest { newest.next = link } else { oldest = link }
    newest = link
    isEmpty = false
  }

  override func take() throws -> Element {
    guard let link = oldest else { throw RxError.noElements }
    oldest = link.next
    if oldest == nil { (newest, isEmpty) = (nil, true) }
    return link.element
  }
}

private final class LatestSlot<Element: Sendable>: JoinSlot<Element> {
  // In a box: for an optional element the runtime would be asked for its type at every event.
  private final class Latest {
    var element: Element

    init(_ element: Element) { self.element = element }
  }

  private var latest: Latest?

  override func put(_ element: Element) {
    isEmpty = false
    guard let latest else { return latest = Latest(element) }
    // The old one goes when the new one is in place: its end may lead to the next element.
    var replaced = element
    swap(&latest.element, &replaced)
  }

  override func take() throws -> Element {
    guard let latest else { throw RxError.noElements }
    return latest.element
  }
}
