import Rx
import RxBinding
import RxTestSupport
import Testing

@Suite(.leavesNoResources, .inTurn) @MainActor struct SharedSequenceOperatorTests {
  /// What `transform` makes of a driver that sends `sent` and then fails, to be -1.
  private func results<Strategy: SharingStrategyProtocol, Result: Equatable & Sendable>(
    sending sent: [Int] = [1, 2], at location: SourceLocation = #_sourceLocation,
    _ transform: (Driver<Int>) -> SharedSequence<Strategy, Result>
  ) async -> [Result] {
    let source = CountedSource<Int>()
    let results = await elements(of: transform(source.asDriver(onErrorJustReturn: -1)), at: location) {
      for element in sent { source.send(element) }
      source.fail()
    }
    #expect(source.subscriptionCount == 1, "not shared", sourceLocation: location)
    #expect(source.subscriberCount == 0, "not disposed", sourceLocation: location)
    return results
  }

  @Test func whatAnOperatorMakesIsShared() async {
    #expect(await results { $0.map { $0 + 1 } } == [2, 3, 0])
    #expect(await results { $0.compactMap { $0 > 1 ? "\($0)" : nil } } == ["2"])
    #expect(await results { $0.filter { $0 % 2 == 0 } } == [2])
    #expect(await results { $0.flatMap { Signal.just($0 * 10) } } == [10, 20, -10])
    #expect(await results { $0.flatMapLatest { Signal.just($0 + 1) } } == [2, 3, 0])
    #expect(await results(sending: [1, 2, 3]) { $0.flatMapFirst { Signal.just($0) } } == [1, 2, 3, -1])
    #expect(await results { $0.map { Signal.just($0 + 1) }.switchLatest() } == [2, 3, 0])
    #expect(await results { $0.scan(0, accumulator: +) } == [1, 3, 2])
    #expect(await results { $0.skip(1) } == [2, -1])
    #expect(await results { $0.startWith(0) } == [0, 1, 2, -1])
    #expect(await results(sending: [1]) { $0.debug("driver", trimOutput: true) } == [1, -1])
    #expect(await results { driver in Driver.deferred { driver } } == [1, 2, -1])
    #expect(await results { $0.withLatestFrom(Driver.of(7, 8)) { "\($0) \($1)" } } == ["1 8", "2 8", "-1 8"])
    #expect(await results { $0.withLatestFrom(Signal.of(7, 8)) } == [8, 8, 8])
  }

  @Test func doIsShared() async {
    let log = Recorder<String>()
    let results = await results { driver in
      driver.do(
        onNext: { log.record("next \($0)") }, afterNext: { log.record("after \($0)") },
        onCompleted: { log.record("completed") }, afterCompleted: { log.record("after") },
        onSubscribe: { log.record("subscribe") }, onSubscribed: { log.record("subscribed") },
        onDispose: { log.record("dispose") })
    }
    #expect(results == [1, 2, -1])
    #expect(
      log.values.filter { $0 != "dispose" } == [
        "subscribe", "subscribed", "next 1", "after 1", "next 2", "after 2", "next -1", "after -1", "completed",
        "after",
      ])
    #expect(log.values.count { $0 == "dispose" } == 1)
  }

  @Test func distinctUntilChangedIsShared() async {
    let sent = [1, 2, 2, 1]
    #expect(await results(sending: sent) { $0.distinctUntilChanged() } == [1, 2, 1, -1])
    #expect(await results(sending: sent) { $0.distinctUntilChanged { $0 > 0 } } == [1, -1])
    #expect(await results(sending: sent) { $0.distinctUntilChanged { $0 == $1 } } == [1, 2, 1, -1])
    #expect(
      await results(sending: sent) { $0.distinctUntilChanged({ $0 * 2 }, comparer: { $0 == $1 }) } == [1, 2, 1, -1])
  }

  @Test func mergeIsShared() async {
    #expect(await results { Driver.merge($0) } == [1, 2, -1])
    #expect(await results { Driver.merge([$0]) } == [1, 2, -1])
    #expect(await results { Driver.merge(CollectionOfOne($0)) } == [1, 2, -1])
    #expect(await results { $0.map { Signal.just($0) }.merge() } == [1, 2, -1])
    #expect(await results { $0.map { Signal.just($0) }.merge(maxConcurrent: 1) } == [1, 2, -1])
    #expect(await results { Driver.merge($0, .of(5, 6)) } == [5, 6, 1, 2, -1])
  }

  @Test func concatIsShared() async {
    #expect(await results { Driver.concat([$0, .just(9)]) } == [1, 2, -1, 9])
    #expect(await results { Driver.concat(Sequence(first: $0, second: .just(9))) } == [1, 2, -1, 9])
  }

  private struct Sequence: Swift.Sequence, Sendable {
    let first: Driver<Int>
    let second: Driver<Int>

    func makeIterator() -> some IteratorProtocol<Driver<Int>> { [first, second].makeIterator() }
  }
}
