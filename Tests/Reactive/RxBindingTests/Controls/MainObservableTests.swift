import Rx
import RxBinding
import RxTest
import RxTestSupport
import Testing

/// The operators of a control event: each does what the ordinary one does, its closures belong to the main actor, and so
/// does what follows.
@MainActor @Suite(.inTurn) struct MainObservableTests {
  private let log = MainLog()
  private let taps = PublishSubject<Int>()
  private let scheduler = TestScheduler(initialClock: 0)
  private let bag = DisposeBag()

  private var event: ControlEvent<Int> { ControlEvent(events: taps) }

  /// What `sequence` sends when the event has sent 1, 2, 3 and completed. The closure of the last `map` is the main actor's.
  private func events<Element>(of sequence: some MainObservableType<Element>) -> [String] {
    let log = MainLog()
    sequence.asMainObservable()
      .map { element in
        log.count += 1
        return "\(element)"
      }
      .subscribe(
        onNext: { log.events.append($0) }, onError: { log.events.append("\($0)") },
        onCompleted: { log.events.append("|") }
      )
      .disposed(by: bag)
    for number in 1...3 { taps.onNext(number) }
    taps.onCompleted()
    return log.events
  }

  // MARK: Accumulating

  @Test func accumulating() {
    #expect(
      events(
        of: event.scan(into: [Int]()) { numbers, number in
          log.count += 1
          numbers.append(number)
        }) == ["[1]", "[1, 2]", "[1, 2, 3]", "|"])
    #expect(log.count == 3)
  }

  @Test func whatAnAccumulatorThrowsEndsTheSequence() {
    #expect(
      events(
        of: event.scan(into: 0) { sum, number in
          if number == 2 { throw TestError.first }
          sum += number
        }) == ["1", "first"])
  }

  @Test func reducing() {
    log.count = 100
    #expect(events(of: event.reduce(0, accumulator: { $0 + $1 }, mapResult: { $0 + log.count })) == ["106", "|"])
  }

  @Test func grouping() {
    let sums = event.groupBy { number in
      log.count += 1
      return number % 2
    }
    .flatMap { group in group.asObservable().map { "\(group.key): \($0)" } }
    #expect(events(of: sums) == ["1: 1", "0: 2", "1: 3", "|"])
    #expect(log.count == 3)
  }

  @Test func anArrayAndTheFirst() {
    event.toArray().asObservable().map { "\($0)" }.subscribeOnMain(onNext: { log.events.append($0) }).disposed(by: bag)
    event.first().asObservable().map { "\($0 ?? 0)" }.subscribeOnMain(onNext: { log.events.append($0) })
      .disposed(by: bag)
    for number in [7, 8] { taps.onNext(number) }
    taps.onCompleted()
    #expect(log.events == ["7", "[7, 8]"])
  }

  // MARK: The end

  /// An operator of the event, and what it makes of that.
  private struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let expected: [String]
    let apply: @MainActor (ControlEvent<Int>, TestScheduler) -> MainObservable<String>

    init<Element>(
      _ name: String, _ expected: [String],
      _ apply: @escaping @MainActor (ControlEvent<Int>, TestScheduler) -> MainObservable<Element>
    ) {
      (testDescription, self.expected) = (name, expected)
      self.apply = { apply($0, $1).map { "\($0)" } }
    }
  }

  @Test(arguments: [
    Case("takeLast", ["2", "3", "|"]) { event, _ in event.takeLast(2) },
    Case("element", ["2", "|"]) { event, _ in event.element(at: 1) },
    Case("single", ["1", "Sequence contains more than one element."]) { event, _ in event.single() },
    Case("single where", ["3", "|"]) { event, _ in event.single { $0 > 2 } },
    Case("ignoreElements", ["completed", "|"]) { event, _ in event.ignoreElements().materialize() },
    Case("ifEmpty", ["1", "2", "3", "|"]) { event, _ in event.ifEmpty(default: 5) },
    Case("ifEmpty default", ["5", "|"]) { event, _ in event.filter { _ in false }.ifEmpty(default: 5) },
    Case("ifEmpty switch", ["6", "|"]) { event, _ in event.filter { _ in false }.ifEmpty(switchTo: .just(6)) },
    Case("materialize", ["next(1)", "next(2)", "next(3)", "completed", "|"]) { event, _ in event.materialize() },
  ])
  private func whatDependsOnTheEnd(_ operation: Case) {
    #expect(events(of: operation.apply(event, scheduler)) == operation.expected)
  }

  // MARK: Errors

  @Test(arguments: [(1, ["first"]), (2, ["first"]), (3, ["3", "|"]), (nil, ["3", "|"])])
  func retrying(attempts: Int?, expected: [String]) {
    let failing = event.map { number in
      log.count += 1
      if log.count < 3 { throw TestError.first }
      return number
    }
    #expect(events(of: attempts.map { failing.retry($0) } ?? failing.retry()) == expected)
  }

  /// The trigger comes from elsewhere; the source is subscribed to on the main actor again all the same.
  @Test func retryingWhenItIsTime() async {
    let isOnMain = Recorder<Bool>()
    let source = ControlEvent(
      events: Observable<Int>.deferred {
        isOnMain.recordWhetherOnMain()
        return isOnMain.values.count < 3 ? .error(TestError.first) : .just(5)
      })
    let elsewhere = ConcurrentDispatchQueueScheduler(qos: .userInitiated)
    source.asMainObservable()
      .retry { errors in
        log.count += 1
        return errors.delay(.milliseconds(1), scheduler: elsewhere)
      }
      .subscribe(onNext: { log.events.append("\($0)") }, onCompleted: { log.events.append("|") })
      .disposed(by: bag)
    #expect(await eventually { log.events == ["5", "|"] })
    #expect(isOnMain.values == [true, true, true])
    #expect(log.count == 1)
  }

  /// The timer is on another scheduler; what it sends is on the main queue again.
  @Test(arguments: [("delay", 2), ("debounce", 1), ("throttle", 2)])
  func aTimerElsewhere(_ name: String, count: Int) async {
    let elsewhere = ConcurrentDispatchQueueScheduler(qos: .userInitiated)
    let isOnMain = Recorder<Bool>()
    let timed: MainObservable<Int> =
      switch name {
      case "delay": event.delay(.milliseconds(1), scheduler: elsewhere)
      case "debounce": event.debounce(.milliseconds(1), scheduler: elsewhere)
      default: event.throttle(.milliseconds(1), scheduler: elsewhere)
      }
    timed.asObservable().subscribe(onNext: { _ in isOnMain.recordWhetherOnMain() }).disposed(by: bag)
    for number in 1...2 { taps.onNext(number) }
    // Two values a millisecond apart, as on a busy machine, both pass the debounce.
    #expect(await eventually { isOnMain.values.count >= count })
    #expect(isOnMain.values.allSatisfy { $0 })
  }

  // MARK: Sequences of sequences

  @Test(arguments: [
    ("switchLatest", ["c", "e", "|"]), ("merge", ["a", "b", "c", "d", "e", "|"]), ("concat", ["a", "d", "|"]),
    ("merge two", ["a", "b", "d", "e", "|"]),
  ])
  func sequencesOfSequences(_ name: String, expected: [String]) {
    let inner = (0..<3).map { _ in PublishSubject<String>() }
    let sequences = event.map { inner[$0 - 1] }
    let joined: MainObservable<String> =
      switch name {
      case "switchLatest": sequences.switchLatest()
      case "merge": sequences.merge()
      case "concat": sequences.concat()
      default: sequences.merge(maxConcurrent: 2)
      }
    joined.subscribe(onNext: { log.events.append($0) }, onCompleted: { log.events.append("|") }).disposed(by: bag)
    for number in 1...3 { taps.onNext(number) }
    taps.onCompleted()
    for (index, text) in ["a", "b", "c"].enumerated() { inner[index].onNext(text) }
    inner[0].onCompleted()
    inner[1].onNext("d")
    inner[2].onNext("e")
    for subject in inner { subject.onCompleted() }
    #expect(log.events == expected)
  }

  /// The other sequence sends on a thread of its own, and what follows is the main actor's all the same.
  @Test(arguments: [
    "flatMap", "flatMapLatest", "flatMapFirst", "concatMap", "catch", "concat", "switchLatest", "merge",
    "withLatestFrom",
    "take until", "skip until", "sample", "ifEmpty",
  ])
  func otherSequencesMayComeFromElsewhere(_ name: String) async {
    let background = ConcurrentDispatchQueueScheduler(qos: .userInitiated)
    let others = ReplaySubject<Int>.create(bufferSize: 1)
    let other = others.observe(on: background)
    let joined: MainObservable<Int> =
      switch name {
      case "flatMap": event.flatMap { _ in other }
      case "flatMapLatest": event.flatMapLatest { _ in other }
      case "flatMapFirst": event.flatMapFirst { _ in other }
      case "concatMap": event.concatMap { _ in other }
      case "catch": event.map { _ in throw TestError.first }.catch { _ in other }
      case "concat": event.filter { _ in false }.concat(other)
      case "switchLatest": event.map { _ in other }.switchLatest()
      case "merge": event.map { _ in other }.merge()
      case "withLatestFrom": event.withLatestFrom(other)
      case "take until": event.filter { _ in false }.concat(Observable.never()).take(until: other)
      case "skip until": event.skip(until: other)
      case "sample": event.sample(other)
      default: event.filter { _ in false }.ifEmpty(switchTo: other)
      }
    joined.map { element in
      log.count += 1
      return element
    }
    .subscribe(onNext: { log.events.append("\($0)") }, onCompleted: { log.events.append("|") })
    .disposed(by: bag)
    if name == "withLatestFrom" || name == "skip until" { others.onNext(7) }
    taps.onNext(1)
    if name != "withLatestFrom" && name != "skip until" {
      if name == "concat" || name == "ifEmpty" { taps.onCompleted() }
      others.onNext(7)
    }
    // What waits for the other sequence has its next element to pass.
    #expect(
      await eventually {
        if log.events.isEmpty { taps.onNext(2) }
        return !log.events.isEmpty
      })
    let expected = ["take until": ["|"], "skip until": ["2"], "sample": ["1", "2"]][name, default: ["7"]]
    #expect(expected.contains(log.events[0]))
  }

  // MARK: Time

  @Test(arguments: [
    Case("take", ["1@10", "2@20", "|@30"]) { $0.take(for: .seconds(30), scheduler: $1) },
    Case("skip", ["2@20", "3@50", "|@100"]) { $0.skip(.seconds(15), scheduler: $1) },
    Case("timeout", ["1@10", "2@20", "Sequence timeout.@45"]) { $0.timeout(.seconds(25), scheduler: $1) },
    Case("timeout into another", ["1@10", "2@20", "9@45", "|@45"]) {
      $0.timeout(.seconds(25), other: Observable.just(9), scheduler: $1)
    },
    Case("buffer", ["[1, 2]@20", "[3]@50", "[]@80", "[]@100", "|@100"]) {
      $0.buffer(timeSpan: .seconds(30), count: 2, scheduler: $1)
    },
    Case("window", ["[1, 2]@20", "[3]@100", "|@100"]) {
      $0.window(timeSpan: .seconds(200), count: 2, scheduler: $1).flatMap { $0.toArray() }
    },
    Case("sample", ["1@15", "2@30", "3@60", "|@105"]) {
      $0.sample(Observable<Int>.interval(.seconds(15), scheduler: $1).take(10))
    },
    Case("delaySubscription", ["2@20", "3@50", "|@100"]) { $0.delaySubscription(.seconds(15), scheduler: $1) },
  ])
  private func time(_ operation: Case) {
    let (log, scheduler, taps) = (MainLog(), scheduler, taps)
    for (time, number) in [10: 1, 20: 2, 50: 3] { scheduler.scheduleAt(time) { taps.onNext(number) } }
    scheduler.scheduleAt(100) { taps.onCompleted() }
    operation.apply(event, scheduler)
      .subscribe(
        onNext: { log.events.append("\($0)@\(scheduler.clock)") },
        onError: { log.events.append("\($0)@\(scheduler.clock)") },
        onCompleted: { log.events.append("|@\(scheduler.clock)") }
      )
      .disposed(by: bag)
    scheduler.start()
    #expect(log.events == operation.expected)
  }

  @Test func subscribingLaterIsOnTheMainActor() async {
    let isOnMain = Recorder<Bool>()
    let source = ControlEvent(
      events: Observable<Int>.deferred {
        isOnMain.recordWhetherOnMain()
        return .just(1)
      })
    source.delaySubscription(.milliseconds(1), scheduler: ConcurrentDispatchQueueScheduler(qos: .userInitiated))
      .subscribe().disposed(by: bag)
    #expect(await eventually { isOnMain.values == [true] })
  }

  @Test func elsewhere() async {
    let isOnMain = Recorder<Bool>()
    event.observe(on: ConcurrentDispatchQueueScheduler(qos: .userInitiated))
      .subscribe(onNext: { _ in isOnMain.recordWhetherOnMain() }).disposed(by: bag)
    taps.onNext(1)
    #expect(await eventually { isOnMain.values == [false] })
  }
}

/// What closures of the main actor change.
@MainActor
private final class MainLog {
  var events: [String] = []
  var count = 0
}
