import Rx
import RxTestSupport
import Synchronization
import Testing

/// What probes have noticed together.
final class Grammar: Sendable {
  private let overlaps = Atomic<Int>(0)
  private let late = Atomic<Int>(0)
  private let allElements = Atomic<Int>(0)
  private let allEnds = Atomic<Int>(0)

  var elements: Int { allElements.load(ordering: .relaxed) }
  var ends: Int { allEnds.load(ordering: .relaxed) }

  func expectIsKept(at location: SourceLocation = #_sourceLocation) {
    let (overlaps, late) = (overlaps.load(ordering: .relaxed), late.load(ordering: .relaxed))
    #expect(overlaps == 0, "an observer was called twice at the same time", sourceLocation: location)
    #expect(late == 0, "an event came after the end", sourceLocation: location)
  }

  fileprivate func note(isInside: Bool, isDone: Bool, isEnd: Bool) {
    if isInside { overlaps.add(1, ordering: .relaxed) }
    if isDone { late.add(1, ordering: .relaxed) }
    if isEnd { allEnds.add(1, ordering: .relaxed) } else { allElements.add(1, ordering: .relaxed) }
  }
}

/// An observer that notices when the Rx grammar is broken. Its plain properties are what the thread sanitizer looks at.
///
/// `@unchecked Sendable`: the promise under test is that nobody calls it twice at the same time.
final class GrammarProbe<Element: Sendable>: ObserverType, @unchecked Sendable {
  private let grammar: Grammar
  private let disposesAfter: Int?
  private let subscription = Locked<(any Disposable)?>(nil)
  private var count = 0
  private var isInside = false
  private var isDone = false

  init(_ grammar: Grammar, disposesAfter: Int? = nil) {
    self.grammar = grammar
    self.disposesAfter = disposesAfter
  }

  func subscribe(to source: Observable<Element>) {
    let subscription = source.subscribe(self)
    self.subscription.withLock { $0 = subscription }
  }

  func dispose() {
    // The subscription holds this observer.
    subscription.withLock { $0.take() }?.dispose()
  }

  func on(_ event: Event<Element>) {
    grammar.note(isInside: isInside, isDone: isDone, isEnd: event.isStopEvent)
    isInside = true
    count += 1
    if event.isStopEvent {
      isDone = true
    } else if count == disposesAfter, let subscription = subscription.withLock({ $0 }) {
      // While the subscription is being made it is not known yet, and goes on.
      subscription.dispose()
      isDone = true
    }
    isInside = false
  }
}
