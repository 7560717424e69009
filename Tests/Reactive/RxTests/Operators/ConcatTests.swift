import Rx
import RxTest
import RxTestSupport
import Testing

@Suite(.inTurn) struct ConcatMarbleTests {
  @Test func theSecondFollowsTheFirst() throws {
    // When the first has completed; not at all when that has failed.
    try expect("-a-|", "^--!", "--b-c|", "---^-!", becomes: "-a--c|") { $0.concat($1) }
    try expect("-a-#", "^--!", "----b", "", becomes: "-a-#") { $0.concat($1) }
  }
}

@Suite(.leavesNoResources, .inTurn) struct ConcatTests: VirtualTimeSuite {
  let scheduler = TestScheduler(initialClock: 0)

  @Test func theSecondMayBeASingle() {
    #expect(immediateEvents(Observable.just(1).concat(Single.just(2))) == [.next(1), .next(2), .completed])
  }

  @Test func noSequencesCompleteAtOnce() {
    #expect(immediateEvents(Observable<Int>.concat([])) == [.completed])
    #expect(immediateEvents(Observable<Int>.concat(EmptyCollection())) == [.completed])
  }

  @Test func theNextSequenceIsMadeOnlyWhenNeeded() {
    let asked = Recorder<Int>()
    let subscription = Observable.concat(
      MadeSequence(0...) { n in
        asked.record(n)
        return n == 2 ? Observable<Int>.never() : .just(n)
      }
    ).subscribe()
    #expect(asked.values == [0, 1, 2])
    subscription.dispose()
  }

  @Test func manyImmediateSequencesTakeNoStack() {
    let sources = (0..<10_000).map { n in n % 1000 == 0 ? Observable.just(n) : .empty() }
    #expect(first(20, of: .concat(sources)) == Array(stride(from: 0, to: 10_000, by: 1000)))
  }

  @Test func endlessTailRecursionTakesNoStack() {
    @Sendable func count(from start: Int) -> Observable<Int> {
      .concat(
        MadeCollection { $0 == 0 ? .just(start, scheduler: CurrentThreadScheduler.instance) : count(from: start + 1) })
    }
    expect(nesting: 1...1) { #expect(first(10_000, of: count(from: 0)) == Array(0..<10_000)) }
  }

  @Test func endlessTailRecursionOfUnknownLengthTakesNoStack() {
    @Sendable func count(from start: Int) -> Observable<Int> {
      .concat(
        MadeSequence(0..<2) {
          $0 == 0 ? .just(start, scheduler: CurrentThreadScheduler.instance) : count(from: start + 1)
        })
    }
    expect(nesting: 1_001...) { #expect(first(10_000, of: count(from: 0)) == Array(0..<10_000)) }
  }

  private func first(_ count: Int, of source: Observable<Int>) -> [Int] {
    immediateEvents(source.take(count)).compactMap(\.element)
  }

  /// Runs `body`, and checks how deep sequences waited inside each other meanwhile. That depth is the process's, so it is
  /// checked while no other test runs.
  private func expect<Depths: RangeExpression<Int>>(
    nesting depths: Depths, at location: SourceLocation = #_sourceLocation, _ body: () -> Void
  ) {
    #if TRACE_RESOURCES
      if LeavesNoResources.runsAlone { maxTailRecursiveSinkStackSize = 0 }
      body()
      if LeavesNoResources.runsAlone {
        #expect(depths.contains(maxTailRecursiveSinkStackSize), sourceLocation: location)
      }
    #else
      body()
    #endif
  }
}

/// Makes its elements when they are asked for.
struct MadeSequence<Base: Sequence & Sendable, Element: Sendable>: Sequence, Sendable {
  let base: Base
  let make: @Sendable (Base.Element) -> Element

  init(_ base: Base, _ make: @escaping @Sendable (Base.Element) -> Element) {
    self.base = base
    self.make = make
  }

  func makeIterator() -> AnyIterator<Element> {
    var iterator = base.makeIterator()
    return AnyIterator { iterator.next().map(make) }
  }
}

/// Two sequences that are made when they are asked for.
private struct MadeCollection: Collection, Sendable {
  let make: @Sendable (Int) -> Observable<Int>

  var startIndex: Int { 0 }
  var endIndex: Int { 2 }

  func index(after index: Int) -> Int { index + 1 }

  subscript(index: Int) -> Observable<Int> { make(index) }
}
