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

/// One sequence after the other: `concat`, `catch(sequence:)` and `retry`.
///
/// `@unchecked Sendable`: `rule` and `sequences` are `Sendable` and never change.
final class SuccessionProducer<Element: Sendable>: Producer<Element>, @unchecked Sendable {
  fileprivate let rule: SuccessionRule
  fileprivate let sequences: @Sendable () -> Succession<Element>

  init(_ rule: SuccessionRule, _ sequences: @escaping @Sendable () -> Succession<Element>) {
    self.rule = rule
    self.sequences = sequences
    super.init { SuccessionSink($0, rule, sequences()).connect() }
  }
}

/// When the next sequence follows.
enum SuccessionRule: Sendable {
  /// When the one before it has completed; an error ends the whole.
  case afterCompletion
  /// When the one before it has failed; completion ends the whole.
  case afterError
}

/// Subscribes to one sequence after the other. However many of them end at once, and however deeply successions are
/// nested, the stack does not grow.
///
/// `@unchecked Sendable`: `nested` is touched in `steps` only, `lastError` between the end of a sequence and the step that
/// follows it.
private final class SuccessionSink<Element: Sendable>: OperatorSink<Element, Element>, @unchecked Sendable {
  private let rule: SuccessionRule
  private let subscription = SerialDisposable()
  private let steps = SerialSteps()
  private var nested: [Succession<Element>]
  private var lastError: (any Error)?

  init(_ downstream: Sink<Element>, _ rule: SuccessionRule, _ sequences: Succession<Element>) {
    self.rule = rule
    nested = [sequences]
    super.init(downstream)
  }

  /// Subscribes to the first sequence.
  func connect() -> Self {
    steps.run(step)
    setUpstream(subscription)
    return self
  }

  override func next(_ element: Element) {
    if !isDisposed { downstream.next(element) }
  }

  override func error(_ error: any Error) {
    if rule == .afterError {
      lastError = error
      steps.run(step)
    } else if !isDisposed {
      finish(error)
    }
  }

  override func completed() {
    if rule == .afterCompletion {
      steps.run(step)
    } else if !isDisposed {
      finish()
    }
  }

  override func didDispose() {
    steps.run(step)
  }

  /// Goes on to the next sequence.
  private func step() {
    if isDisposed {
      nested = []
    } else if let sequence = nextSequence() {
      let current = SingleAssignmentDisposable()
      subscription.disposable = current
      current.setDisposable(sequence.subscribe(self))
    } else if let lastError {
      finish(lastError)
    } else {
      finish()
    }
  }

  private func nextSequence() -> Observable<Element>? {
    while var sequences = nested.popLast() {
      guard let sequence = sequences.next() else { continue }
      // Nothing follows the last one of a known number, so it is not kept: endless recursion takes no memory.
      if !sequences.isExhausted { nested.append(sequences) }
      // A succession of the same kind inside this one needs no sink of its own.
      guard let inner = sequence as? SuccessionProducer<Element>, inner.rule == rule else { return sequence }
      nested.append(inner.sequences())
      #if TRACE_RESOURCES
        traceSuccession(depth: nested.count)
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
  /// most since this was last set; in builds that count resources only (RxSwift's `maxTailRecursiveSinkStackSize`).
  public var maxTailRecursiveSinkStackSize: Int {
    get { deepestSuccession.load(ordering: .relaxed) }
    set { deepestSuccession.store(newValue, ordering: .relaxed) }
  }

  func traceSuccession(depth: Int) {
    deepestSuccession.max(depth, ordering: .relaxed)
  }
#endif
