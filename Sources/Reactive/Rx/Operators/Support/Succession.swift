import Synchronization

/// Sequences, one after the other: `concat`, `catch(sequence:)` and `retry`.
struct Succession<Element: Sendable>: Sendable {
  /// When the next sequence follows.
  enum Rule: Sendable {
    /// When the one before it has completed; an error ends the whole.
    case afterCompletion
    /// When the one before it has failed; completion ends the whole.
    case afterError
  }

  /// The sequences that have not begun.
  struct Rest {
    var iterator: any IteratorProtocol<Observable<Element>>
    /// How many they are, if that is known.
    var count: Int?

    mutating func next() -> Observable<Element>? {
      if let count { self.count = max(0, count - 1) }
      return iterator.next()
    }
  }

  let rule: Rule
  fileprivate let begin: @Sendable () -> Rest

  init(
    _ rule: Rule, _ sequences: @autoclosure @escaping @Sendable () -> any Sequence<Observable<Element>>,
    count: Int? = nil
  ) {
    self.rule = rule
    begin = { Rest(iterator: sequences().makeIterator(), count: count) }
  }

  /// Their elements. However many of them end at once, and however deeply they are nested, the stack does not grow.
  func asObservable() -> Observable<Element> {
    // The closures of a subscription do not hold `self`, and with it all sequences.
    Observable(succession: self) { [begin, rule] downstream in
      let subscription = SerialDisposable()
      let steps = SerialSteps()
      let lastError = Locked<(any Error)?>(nil)
      // Only a step touches the state.
      let goOn: Stage<Element, Element, [Rest]>.Action = { stage in
        steps.run {
          if stage.isCut {
            stage.state = []
          } else if let sequence = stage.nextSequence(rule) {
            let current = SingleAssignmentDisposable()
            subscription.disposable = current
            current.setDisposable(sequence.subscribe(stage))
          } else {
            stage.finish(lastError.withLock { $0 })
          }
        }
      }
      let stage = Stage<Element, Element, [Rest]>(
        downstream, [begin()],
        onEnd: { stage, error in
          guard (error == nil) == (rule == .afterCompletion) else { return stage.finish(error) }
          lastError.replace(with: error)
          goOn(stage)
        },
        onDispose: goOn,
        step: { stage, element in stage.send(element) })
      goOn(stage)
      stage.setUpstream(subscription)
      return stage
    }
  }
}

/// The state is the rest of each succession that is inside another one, the innermost last.
extension Stage where Input == Output, State == [Succession<Output>.Rest] {
  fileprivate func nextSequence(_ rule: Succession<Output>.Rule) -> Observable<Output>? {
    while var rest = state.popLast() {
      guard let sequence = rest.next() else { continue }
      // Nothing follows the last one of a known number, so it is not kept: endless recursion takes no memory.
      if rest.count != 0 { state.append(rest) }
      // A succession of the same kind inside this one needs no stage of its own.
      guard let inner = sequence.succession, inner.rule == rule else { return sequence }
      state.append(inner.begin())
      #if TRACE_RESOURCES
        deepestSuccession.max(state.count, ordering: .relaxed)
      #endif
    }
    return nil
  }
}

/// Runs a step as often as it was asked to, one at a time. A step that is asked for while one is running, by that one
/// or on another thread, runs after it in the same loop, so that recursion takes no stack.
struct SerialSteps: ~Copyable, Sendable {
  private let pending = Atomic<Int>(0)

  /// Runs `step` once more.
  borrowing func run(_ step: () -> Void) {
    guard pending.wrappingAdd(1, ordering: .acquiringAndReleasing).oldValue == 0 else { return }
    repeat {
      step()
    } while pending.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue > 0
  }
}

#if TRACE_RESOURCES
  private let deepestSuccession = Atomic<Int>(0)

  /// How many sequences of sequences were waiting inside each other in a `concat`, `catch(sequence:)` or `retry` at the
  /// most since this was last set; in builds that count resources only (RxSwift).
  public var maxTailRecursiveSinkStackSize: Int {
    get { deepestSuccession.load(ordering: .relaxed) }
    set { deepestSuccession.store(newValue, ordering: .relaxed) }
  }
#endif
