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
