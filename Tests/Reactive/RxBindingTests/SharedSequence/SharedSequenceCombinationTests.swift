import Rx
import RxBinding
import RxTestSupport
import Testing

@Suite(.leavesNoResources, .inTurn) @MainActor struct SharedSequenceCombinationTests {
  private func results<Result: Equatable & Sendable>(
    at location: SourceLocation = #_sourceLocation, _ combine: (Driver<Int>, Driver<Int>) -> Driver<Result>
  ) async -> [Result] {
    let first = CountedSource<Int>()
    let second = CountedSource<Int>()
    let driver = combine(first.asDriver(onErrorJustReturn: -1), second.asDriver(onErrorJustReturn: -2))
    let results = await elements(of: driver, at: location) {
      first.send(1)
      second.send(4)
      first.send(2)
      second.send(5)
      first.fail()
      second.fail()
    }
    #expect([first.subscriptionCount, second.subscriptionCount] == [1, 1], sourceLocation: location)
    #expect([first.subscriberCount, second.subscriberCount] == [0, 0], sourceLocation: location)
    return results
  }

  @Test func combineLatestIsShared() async {
    #expect(await results { Driver.combineLatest($0, $1, resultSelector: +) } == [5, 6, 7, 4, -3])
    #expect(await results { Driver.combineLatest($0, $1).map(+) } == [5, 6, 7, 4, -3])
    #expect(await results { Driver.combineLatest([$0, $1]) { $0.reduce(0, +) } } == [5, 6, 7, 4, -3])
    #expect(await results { Driver.combineLatest([$0, $1]).map { $0.reduce(0, +) } } == [5, 6, 7, 4, -3])
  }

  @Test func zipIsShared() async {
    #expect(await results { Driver.zip($0, $1, resultSelector: +) } == [5, 7, -3])
    #expect(await results { Driver.zip($0, $1).map(+) } == [5, 7, -3])
    #expect(await results { Driver.zip([$0, $1]) { $0.reduce(0, +) } } == [5, 7, -3])
    #expect(await results { Driver.zip([$0, $1]).map { $0.reduce(0, +) } } == [5, 7, -3])
  }

  private func first<Element: Sendable>(_ driver: Driver<Element>) -> Element? {
    let received = Recorder<Element>()
    _ = driver.drive(onNext: { received.record($0) })
    return received.values.count == 1 ? received.values[0] : nil
  }

  @Test func threeAndEightAreJoined() {
    let d = (1...8).map { Driver.just($0) }
    #expect(first(Driver.zip(d[0], d[1], d[2]) { [$0, $1, $2] }) == [1, 2, 3])
    #expect(first(Driver.combineLatest(d[0], d[1], d[2]) { [$0, $1, $2] }) == [1, 2, 3])
    let zipped = Driver.zip(d[0], d[1], d[2], d[3], d[4], d[5], d[6], d[7]) { [$0, $1, $2, $3, $4, $5, $6, $7] }
    #expect(first(zipped) == Array(1...8))
    let latest = Driver.combineLatest(d[0], d[1], d[2], d[3], d[4], d[5], d[6], d[7]) {
      [$0, $1, $2, $3, $4, $5, $6, $7]
    }
    #expect(first(latest) == Array(1...8))
  }

  @Test func tuplesHaveDifferentTypes() throws {
    let number = Driver.just(1)
    let text = Driver.just("a")
    let flag = Driver.just(true)
    let real = Driver.just(2.5)

    let zipped = try #require(first(Driver.zip(number, text, flag, real)))
    #expect("\(zipped)" == #"(1, "a", true, 2.5)"#)
    let latest = try #require(first(Driver.combineLatest(number, text, flag)))
    #expect("\(latest)" == #"(1, "a", true)"#)
    #expect(first(Driver.zip(number, text, flag, real, number, text, flag, real)) != nil)
    #expect(first(Driver.combineLatest(number, text, flag, real, number, text, flag, real)) != nil)
  }

  @Test func noSequencesAtAllEndAtOnce() {
    #expect(events(Driver.combineLatest([Driver<Int>]())) == [.next([]), .completed])
    #expect(events(Driver.combineLatest([Driver<Int>]()) { $0.count }) == [.next(0), .completed])
    #expect(events(Driver.zip([Driver<Int>]())) == [.completed])
  }

  private func events<Element: Sendable>(_ driver: Driver<Element>) -> [Event<Element>] {
    let events = Recorder<Event<Element>>()
    _ = driver.drive(AnyObserver { events.record($0) })
    return events.values
  }
}
