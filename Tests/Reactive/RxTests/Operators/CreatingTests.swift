import Rx
import RxTest
import RxTestSupport
import Testing

@Suite(.inTurn) struct CreatingTests {
  private let scheduler = TestScheduler(initialClock: 0)

  @Test func range() {
    #expect(log(Observable.range(start: 3, count: 3)) == ["3", "4", "5", "completed", "disposed"])
    #expect(log(Observable.range(start: 3, count: 0)) == ["completed", "disposed"])
    #expect(log(Observable.range(start: 3, count: -1)) == ["completed", "disposed"])
    #expect(log(Observable<UInt8>.range(start: 254, count: 2)) == ["254", "255", "completed", "disposed"])
    #expect(log(Observable<UInt8>.range(start: 254, count: 3)) == ["error(Arithmetic overflow occurred.)", "disposed"])
  }

  @Test(arguments: [0, -1]) func anEmptyRangeCompletesOnItsScheduler(count: Int) {
    let result = scheduler.start { Observable.range(start: 1, count: count, scheduler: scheduler) }
    #expect(result.events == [.completed(201)])
  }

  @Test func rangeStopsWhenItIsDisposedOf() {
    let result = scheduler.start(disposed: 204) { Observable.range(start: 1, count: 100, scheduler: scheduler) }
    #expect(result.events == [.next(201, 1), .next(202, 2), .next(203, 3)])
  }

  @Test func repeatElement() {
    #expect(log(Observable.repeatElement(7).take(3)) == ["7", "7", "7", "completed", "disposed"])
    #expect(
      scheduler.start(disposed: 203) { Observable.repeatElement(7, scheduler: scheduler) }.events
        == [.next(201, 7), .next(202, 7)])
  }

  @Test func generate() {
    func generated(
      while condition: @escaping @Sendable (Int) throws -> Bool, _ iterate: @escaping @Sendable (Int) throws -> Int
    ) -> [String] {
      log(Observable.generate(initialState: 1, condition: condition, iterate: iterate))
    }
    #expect(generated(while: { $0 < 10 }) { $0 * 3 } == ["1", "3", "9", "completed", "disposed"])
    #expect(generated(while: { _ in false }) { $0 } == ["completed", "disposed"])
    #expect(generated(while: { _ in throw TestError.first }) { $0 } == ["error(first)", "disposed"])
    #expect(generated(while: { _ in true }) { _ in throw TestError.first } == ["1", "error(first)", "disposed"])
  }

  @Test func generateMakesNoElementAhead() {
    let made = Recorder<Int>()
    let elements = Observable.generate(
      initialState: 1, condition: { _ in true },
      iterate: {
        made.record($0 + 1)
        return $0 + 1
      })
    #expect(log(elements.take(2)) == ["1", "2", "completed", "disposed"])
    #expect(made.values == [2])
  }

  private struct Resource: Disposable {
    let log: Recorder<String>
    func dispose() { log.record("resource disposed") }
  }

  @Test func usingDisposesOfTheResourceWithTheSubscription() {
    for source in [Observable.just(1), .error(TestError.first), .never()] {
      let log = Recorder<String>()
      log.subscribe(to: .using({ Resource(log: log) }, observableFactory: { _ in source })).dispose()
      #expect(log.values.count { $0 == "resource disposed" } == 1)
    }
  }

  @Test func usingFailsWithWhatItsClosuresThrow() {
    let disposals = Recorder<String>()
    #expect(
      log(
        Observable<Int>.using({ () throws -> Resource in throw TestError.first }, observableFactory: { _ in .never() }))
        == ["error(first)", "disposed"])
    #expect(
      log(Observable<Int>.using({ Resource(log: disposals) }, observableFactory: { _ in throw TestError.second }))
        == ["error(second)", "disposed"])
    #expect(disposals.values.count == 1)
    #expect(
      log(Single<Int>.using({ Resource(log: disposals) }, primitiveSequenceFactory: { _ in .just(1) }))
        == ["success 1", "disposed"])
    #expect(disposals.values.count == 2)
  }

  @Test func delaySubscription() throws {
    try expect("-a-b-c-|", "---^---!", becomes: "-----c-|") { $0.delaySubscription(.seconds(30), scheduler: $1) }
    try expect("-a-b-c-|", "", becomes: "", disposed: 2) { $0.delaySubscription(.seconds(30), scheduler: $1) }
    let single = Single.just(1).delaySubscription(.seconds(10), scheduler: scheduler)
    #expect(scheduler.start { single }.events == [.next(210, 1), .completed(210)])
  }

  @Test func decode() {
    struct Words: DataDecoder {
      func decode<Item: Decodable>(_ type: Item.Type, from data: String) throws -> Item {
        guard let item = data.uppercased() as? Item else { throw TestError.first }
        return item
      }
    }
    #expect(
      log(Observable.of("a", "b").decode(type: String.self, decoder: Words())) == ["A", "B", "completed", "disposed"])
    #expect(log(Observable.of("a", "b").decode(type: Int.self, decoder: Words())) == ["error(first)", "disposed"])
  }
}
