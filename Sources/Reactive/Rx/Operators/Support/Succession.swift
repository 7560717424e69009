import Synchronization

/// Sequences, one after the other.
struct Succession<Element: Sendable> {
  private var iterator: any IteratorProtocol<Observable<Element>>
  private var remaining: Int?

  init<Sequences: Sequence>(_ sequences: Sequences, count: Int?) where Sequences.Element == Observable<Element> {
    iterator = sequences.makeIterator()
    remaining = count
  }

  /// Whether it is known that there are no more.
  var isExhausted: Bool {
    remaining == 0
  }

  mutating func next() -> Observable<Element>? {
    if let remaining { self.remaining = max(0, remaining - 1) }
    return iterator.next()
  }
}

/// Subscribes to one sequence after the other: `concat`, `catch(sequence:)` and `retry`. However many of them end at
/// once, and however deeply concatenations are nested, the stack does not grow.
///
/// `@unchecked Sendable`: `nested` is touched in `steps` only.
class SuccessionSink<Element: Sendable>: OperatorSink<Element, Element>, @unchecked Sendable {
  private let subscription = SerialDisposable()
  private let steps = SerialSteps()
  private var nested: [Succession<Element>]

  init(_ downstream: Sink<Element>, _ sequences: Succession<Element>) {
    nested = [sequences]
    super.init(downstream)
  }

  /// Subscribes to the first sequence.
  final func connect() -> Self {
    advance()
    setUpstream(subscription)
    return self
  }

  /// The sequences inside `sequence`, if it is itself such a succession and needs no sink of its own.
  func unfold(_ sequence: Observable<Element>) -> Succession<Element>? {
    nil
  }

  /// Called when the last sequence has ended.
  func exhausted() {
    finish()
  }

  override func didDispose() {
    advance()
  }

  /// Goes on to the next sequence.
  final func advance() {
    steps.run(step)
  }

  private func step() {
    if isDisposed {
      nested = []
    } else if let sequence = nextSequence() {
      let current = SingleAssignmentDisposable()
      subscription.disposable = current
      current.setDisposable(sequence.subscribe(self))
    } else {
      exhausted()
    }
  }

  private func nextSequence() -> Observable<Element>? {
    while var sequences = nested.popLast() {
      guard let sequence = sequences.next() else { continue }
      // The last one of a known number is not waited for, so that endless recursion takes no memory.
      if !sequences.isExhausted { nested.append(sequences) }
      guard let unfolded = unfold(sequence) else { return sequence }
      nested.append(unfolded)
      #if TRACE_RESOURCES
        traceSuccession(depth: nested.count)
      #endif
    }
    return nil
  }
}

/// Runs a step as often as it was asked to, once at a time: a step that is asked for while one is running, by that one
/// or on another thread, runs after it, in the same place, so recursion takes no stack.
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
  /// most since this was last set; in builds that count resources only (RxSwift's `maxTailRecursiveSinkStackSize`).
  public var maxTailRecursiveSinkStackSize: Int {
    get { deepestSuccession.load(ordering: .relaxed) }
    set { deepestSuccession.store(newValue, ordering: .relaxed) }
  }

  func traceSuccession(depth: Int) {
    deepestSuccession.max(depth, ordering: .relaxed)
  }
#endif
