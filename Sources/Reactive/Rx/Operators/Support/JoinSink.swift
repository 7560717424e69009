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
  /// Joins the elements of several sequences: `combineLatest` and `zip`.
  ///
  /// - Parameter inputs: Adds the sequences to what it is given, and returns what makes an element of theirs, taking
  ///   one from each slot.
  static func join(
    _ rule: JoinRule, _ inputs: @escaping @Sendable (JoinInputs<Element>) -> JoinSink<Element>.Join
  ) -> Observable<Element> {
    OperatorProducer { downstream in
      let list = JoinInputs<Element>(rule)
      return JoinSink(downstream, rule, inputs(list)).connect(list)
    }
  }
}

/// The sequences to be joined.
final class JoinInputs<Output: Sendable> {
  fileprivate typealias Connection = (JoinSink<Output>) -> any Disposable

  private let rule: JoinRule
  fileprivate private(set) var slots: [AnyJoinSlot] = []
  fileprivate private(set) var connections: [Connection] = []

  fileprivate init(_ rule: JoinRule) {
    self.rule = rule
  }

  /// Adds a sequence; its elements are in the slot that is returned.
  func add<Source: ObservableConvertibleType>(_ source: Source) -> JoinSlot<Source.Element> {
    let slot = rule == .latest ? LatestSlot<Source.Element>() : QueueSlot<Source.Element>()
    slots.append(slot)
    connections.append { sink in
      let input = JoinInput(sink, slot)
      input.setUpstream(source.asObservable().subscribe(input))
      return input
    }
    return slot
  }
}

/// Joins the elements of its inputs.
///
/// `@unchecked Sendable`: see ``LockedSink``.
final class JoinSink<Output: Sendable>: LockedSink<Never, Output>, @unchecked Sendable {
  /// Takes an element of each input and makes one of them.
  typealias Join = @Sendable () throws -> Output

  private let rule: JoinRule
  private let join: Join
  private var slots: [AnyJoinSlot] = []
  /// How many inputs have no element to be joined.
  private var empty = 0
  /// How many inputs go on.
  private var live = 0

  fileprivate init(_ downstream: Sink<Output>, _ rule: JoinRule, _ join: @escaping Join) {
    self.rule = rule
    self.join = join
    super.init(downstream)
  }

  fileprivate func connect(_ inputs: JoinInputs<Output>) -> Self {
    slots = inputs.slots
    empty = slots.count
    live = slots.count
    let subscriptions = inputs.connections.map { $0(self) }
    if subscriptions.isEmpty { finish() }
    setUpstream(Disposables.create(subscriptions))
    return self
  }

  /// An element has come, to a slot that was empty, or not.
  fileprivate func elementArrived(wasEmpty: Bool) {
    if wasEmpty { empty -= 1 }
    if empty > 0 {
      if live == 1, rule != .sameIndex { finish() }
      return
    }
    do {
      let joined = try join()
      if rule != .latest { empty = slots.count { $0.isEmpty } }
      downstream.next(joined)
    } catch {
      finish(error)
    }
  }

  fileprivate func inputCompleted() {
    live -= 1
    if live == 0 { finish() }
  }
}

/// One input of a join.
///
/// `@unchecked Sendable`: immutable.
private final class JoinInput<Element: Sendable, Output: Sendable>: Sink<Element>, @unchecked Sendable {
  private let parent: JoinSink<Output>
  private let slot: JoinSlot<Element>

  init(_ parent: JoinSink<Output>, _ slot: JoinSlot<Element>) {
    self.parent = parent
    self.slot = slot
  }

  override func next(_ element: Element) {
    parent.locked {
      let wasEmpty = slot.isEmpty
      slot.put(element)
      parent.elementArrived(wasEmpty: wasEmpty)
    }
  }

  override func error(_ error: any Error) {
    dispose()
    parent.locked { parent.finish(error) }
  }

  override func completed() {
    dispose()
    parent.locked { parent.inputCompleted() }
  }
}
