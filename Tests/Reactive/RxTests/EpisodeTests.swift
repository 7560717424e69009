import RxTest
import RxTestSupport
import Testing

@testable import Rx

/// What goes on for long: it lets go of what has ended at once, keeps nothing of it, and begins each time anew.
@Suite(.leavesNoResources, .inTurn) struct EpisodeTests {
  private let scheduler = TestScheduler(initialClock: 0)
  private let log = Recorder<String>()

  // MARK: Letting go

  @Test func aQueueKeepsNothingOfWhatItGave() {
    var queue = Queue<Captured>()
    queue.append(Captured())
    queue.append(Captured())
    weak let given = queue.popFirst()
    #expect(given == nil)
    #expect(queue.count == 1)
  }

  private struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// What source 1 sends.
    let event: Event<Int>
    /// The order in which the sources 1 and 2 are subscribed to (+) and unsubscribed from (-) until then.
    let order: String
    let apply: @Sendable (_ one: Observable<Int>, _ two: Observable<Int>, TestScheduler) -> Observable<Int>

    init(
      _ name: String, _ event: Event<Int>, _ order: String,
      _ apply: @escaping @Sendable (Observable<Int>, Observable<Int>, TestScheduler) -> Observable<Int>
    ) { (testDescription, self.event, self.order, self.apply) = (name, event, order, apply) }
  }

  @Test(arguments: [
    Case("concat", .completed, "+1 -1 +2") { one, two, _ in one.concat(two) },
    Case("concatMap", .completed, "+1 -1 +2") { one, two, _ in Observable.of(one, two).concatMap { $0 } },
    Case("merge(maxConcurrent:)", .completed, "+1 -1 +2") { one, two, _ in
      Observable.of(one, two).merge(maxConcurrent: 1)
    },
    Case("switchLatest", .next(1), "+1 -1 +2") { one, two, scheduler in
      Observable<Int>.timer(.seconds(5), scheduler: scheduler).map { _ in two }.startWith(one).switchLatest()
    },
    Case("ifEmpty", .completed, "+1 +2 -1") { one, two, _ in one.ifEmpty(switchTo: two) },
    Case("skip(until:)", .next(1), "+2 +1 -1") { one, two, _ in two.skip(until: one) },
    Case("andThen", .completed, "+1 -1 +2") { one, two, _ in one.ignoreElements().asCompletable().andThen(two) },
    Case("catch", .error(TestError.first), "+1 +2 -1") { one, two, _ in one.catch { _ in two } },
    Case("catch(sequence:)", .error(TestError.first), "+1 -1 +2") { one, two, _ in .catch(sequence: [one, two]) },
    Case("timeout", .next(1), "+1 +2 -1") { one, two, scheduler in
      one.timeout(.seconds(5), other: two, scheduler: scheduler)
    },
  ])
  private func whatIsNotNeededAnyMoreIsLetGoAtOnce(_ operation: Case) {
    let subject = PublishSubject<Int>()
    let subscription = operation.apply(resource(1, subject), resource(2, .never()), scheduler).subscribe()
    subject.on(operation.event)
    scheduler.advanceTo(10)
    #expect(log.values.joined(separator: " ") == operation.order)
    subscription.dispose()
    #expect(log.values.count { $0.hasPrefix("+") } == log.values.count { $0.hasPrefix("-") })
  }

  /// `source` with a resource.
  private func resource(_ name: Int, _ source: Observable<Int>) -> Observable<Int> {
    Observable.using({ [log] in Resource(name, log) }, observableFactory: { _ in source })
  }

  /// Records `+name` when it is made, with a subscription, and `-name` when it is disposed of with that.
  private final class Resource: Disposable {
    private let name: Int
    private let log: Recorder<String>

    init(_ name: Int, _ log: Recorder<String>) {
      (self.name, self.log) = (name, log)
      log.record("+\(name)")
    }

    func dispose() { log.record("-\(name)") }
  }

  #if TRACE_RESOURCES
    /// Only in a process of its own does the count of live objects belong to this test.
    @Test(
      .enabled(if: LeavesNoResources.runsAlone),
      arguments: [
        Case("flatMap", .completed, "") { one, _, _ in one.flatMap { Observable.just($0) } },
        Case("flatMapFirst", .completed, "") { one, _, _ in one.flatMapFirst { Observable.just($0) } },
        Case("flatMapLatest", .completed, "") { one, _, _ in one.flatMapLatest { Observable.just($0) } },
        Case("concatMap", .completed, "") { one, _, _ in one.concatMap { Observable.just($0) } },
        Case("retry", .completed, "") { one, _, _ in one.map { try oddOnly($0) }.retry() },
        Case("retry(when:)", .completed, "") { one, _, _ in
          one.map { try oddOnly($0) }.retry { (errors: Observable<any Error>) in errors }
        },
        Case("observe(on:)", .completed, "") { one, _, scheduler in one.observe(on: scheduler) },
        Case("debounce", .completed, "") { one, _, scheduler in one.debounce(.seconds(1), scheduler: scheduler) },
        Case("throttle", .completed, "") { one, _, scheduler in one.throttle(.seconds(1), scheduler: scheduler) },
        Case("delay", .completed, "") { one, _, scheduler in one.delay(.seconds(1), scheduler: scheduler) },
        Case("timeout", .completed, "") { one, _, scheduler in one.timeout(.seconds(99), scheduler: scheduler) },
        Case("window", .completed, "") { one, _, scheduler in
          one.window(timeSpan: .seconds(5), count: 2, scheduler: scheduler).flatMap { $0 }
        },
        Case("buffer", .completed, "") { one, _, scheduler in
          one.buffer(timeSpan: .seconds(5), count: 2, scheduler: scheduler).map(\.count)
        },
        Case("share", .completed, "") { one, two, _ in
          let shared = two.share(replay: 1)
          return one.flatMap { _ in shared.take(until: one) }
        },
        Case("interval", .completed, "") { one, _, scheduler in
          .merge(one, .interval(.seconds(1), scheduler: scheduler))
        },
      ])
    private func nothingGathersWhileItGoesOn(_ operation: Case) {
      let subject = PublishSubject<Int>()
      let subscription = operation.apply(subject, .never(), scheduler).subscribe()
      var totals: [Int32] = []
      for episode in 0..<60 {
        subject.onNext(episode)
        scheduler.advanceTo(scheduler.clock + 20)
        totals.append(Resources.total)
      }
      #expect(totals[59] == totals[9])
      subscription.dispose()
    }
  #endif

  // MARK: What is still on its way

  /// A subject that is let go ends without an event. What it has sent before, and what waits for its scheduler, still comes.
  @Test(arguments: [true, false]) func theEndOfAGoneSubjectDoesNotOvertakeWhatIsQueued(onSerialQueue: Bool) async {
    let queue = DispatchQueue(label: "held back")
    let serial = SerialDispatchQueueScheduler(queue: queue, internalSerialQueueName: "serial")
    let concurrent = ConcurrentDispatchQueueScheduler(queue: queue)
    queue.suspend()
    var subscription: (any Disposable)?
    do {
      let subject = PublishSubject<Int>()
      subscription = subject.observe(on: onSerialQueue ? serial : concurrent)
        .subscribe(onNext: { [log] in log.record("\($0)") })
      for element in 1...3 { subject.onNext(element) }
    }
    queue.resume()
    #expect(await eventually { log.values == ["1", "2", "3"] })
    subscription?.dispose()
  }

  // MARK: The second time

  @Test(arguments: [
    Case("window", .completed, "2 2 1") { one, _, scheduler in
      one.window(timeSpan: .seconds(500), count: 2, scheduler: scheduler).flatMap { $0.toArray().map(\.count) }
    },
    Case("buffer", .completed, "2 2 1") { one, _, scheduler in
      one.buffer(timeSpan: .seconds(500), count: 2, scheduler: scheduler).map(\.count)
    },
    Case("debounce", .completed, "1 2 3 4 5") { one, _, scheduler in one.debounce(.seconds(5), scheduler: scheduler) },
    Case("throttle", .completed, "1 2 3 4 5") { one, _, scheduler in one.throttle(.seconds(5), scheduler: scheduler) },
    Case("delay", .completed, "1 2 3 4 5") { one, _, scheduler in one.delay(.seconds(5), scheduler: scheduler) },
    Case("sample", .completed, "1 3 5") { one, _, _ in one.sample(one.filter { !$0.isMultiple(of: 2) }) },
    Case("distinctUntilChanged", .completed, "1 2 4") { one, _, _ in one.distinctUntilChanged { $0 / 2 } },
    Case("flatMapLatest", .completed, "1 1 2 2 3 3 4 4 5 5") { one, _, scheduler in
      one.flatMapLatest { Observable.just($0).concat(Observable.just($0).delay(.seconds(5), scheduler: scheduler)) }
    },
    Case("timeout", .completed, "1 2 3 4 5") { one, two, scheduler in
      one.timeout(.seconds(15), other: two, scheduler: scheduler)
    },
    Case("publish().refCount()", .next(6), "1 2 3 4 5 6") { one, _, _ in again(one.take(1).publish().refCount()) },
    Case("share()", .next(6), "1 2 3 4 5 6") { one, _, _ in again(one.take(1).share()) },
    Case("share(replay:)", .next(6), "1 2 3 4 5 6") { one, _, _ in again(one.take(1).share(replay: 1)) },
  ])
  private func itBeginsAnew(_ operation: Case) {
    let subject = PublishSubject<Int>()
    let subscription = operation.apply(subject, .just(-1), scheduler)
      .subscribe(onNext: { [log] in log.record("\($0)") })
    for element in 1...5 {
      subject.onNext(element)
      scheduler.advanceTo(scheduler.clock + 10)
    }
    subject.on(operation.event)
    scheduler.advanceTo(scheduler.clock + 10)
    #expect(log.values.joined(separator: " ") == operation.order)
    subscription.dispose()
  }
}

/// `source`, subscribed to again at each of its ends, until the elements are over.
private func again(_ source: Observable<Int>) -> Observable<Int> {
  source.concat(Observable.deferred { again(source) })
}

private func oddOnly(_ element: Int) throws -> Int {
  if element.isMultiple(of: 2) { throw TestError.first }
  return element
}
