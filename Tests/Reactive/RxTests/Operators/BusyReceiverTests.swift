import Rx
import RxTest
import RxTestSupport
import Testing

/// Receivers that take time, and receivers that lead to the next element, while an operator is sending.
@Suite(.inTurn) struct BusyReceiverTests {
  private let scheduler = TestScheduler(initialClock: 0)

  /// Checks what comes out of `source` with a receiver that takes so many seconds for each element.
  private func expect<Element: Equatable & Sendable>(
    taking seconds: Int, becomes expected: [Recorded<Event<Element>>], at location: SourceLocation = #_sourceLocation,
    _ source: @escaping () -> Observable<Element>
  ) {
    let result = scheduler.start { source().do(afterNext: { [scheduler] _ in scheduler.sleep(seconds) }) }
    #expect(result.events == expected, sourceLocation: location)
  }

  private func hot(_ times: Int...) -> TestableObservable<Int> {
    scheduler.createHotObservable(times.map { .next($0, $0) } + [.completed(900)])
  }

  // MARK: Time

  @Test func throttleBeginsItsTimeWhenTheReceiverIsDone() {
    let xs = hot(210, 225, 231, 260)
    // They are dealt with at 218, 236, 254 and 272, and the next one comes 10 after that at the earliest.
    expect(taking: 8, becomes: [.next(210, 210), .next(228, 225), .next(246, 231), .next(264, 260), .completed(900)]) {
      [scheduler] in
      xs.throttle(.seconds(10), scheduler: scheduler)
    }
  }

  @Test func throttleWithoutTheLatestCountsFromTheEnd() {
    let xs = hot(210, 225, 228, 240)
    expect(taking: 8, becomes: [.next(210, 210), .next(228, 228), .completed(900)]) { [scheduler] in
      xs.throttle(.seconds(10), latest: false, scheduler: scheduler)
    }
  }

  @Test func bufferBeginsItsTimeWhenTheReceiverIsDone() {
    let xs = hot(210, 220, 230)
    // By count at 220, then by time: the receiver is done at 250, 330 and 410.
    expect(
      taking: 30,
      becomes: [.next(220, [210, 220]), .next(300, [230]), .next(380, []), .next(460, []), .completed(490)]
    ) { [scheduler] in
      xs.buffer(timeSpan: .seconds(50), count: 2, scheduler: scheduler).take(4)
    }
  }

  @Test func windowMeasuresFromWhereItsReceiverGotIt() {
    let xs = hot(210, 295)
    let source = xs.window(timeSpan: .seconds(50), count: 9, scheduler: scheduler).take(3)
      .do(afterNext: { [scheduler] _ in scheduler.sleep(20) }).flatMap { $0.toArray().map(\.count) }
    // The first begins at 200 and is given at 220, so it ends at 270; the second is given at 290 and ends at 340.
    #expect(scheduler.start { source }.events == [.next(270, 1), .next(340, 1), .next(410, 0), .completed(410)])
  }

  @Test func delayCountsTheTimeOfTheReceiver() {
    let xs = hot(210, 220, 290)
    expect(taking: 30, becomes: [.next(260, 210), .next(291, 220), .next(340, 290), .completed(950)]) { [scheduler] in
      xs.delay(.seconds(50), scheduler: scheduler)
    }
  }

  @Test func timeoutDoesNotCountTheTimeOfTheReceiver() {
    let xs = hot(210, 340)
    expect(taking: 100, becomes: [.next(210, 210), .next(340, 340), .next(490, -1), .completed(590)]) { [scheduler] in
      xs.timeout(.seconds(50), other: Observable.just(-1), scheduler: scheduler)
    }
  }

  @Test func intervalDoesNotCountTheTimeOfTheReceiver() {
    expect(taking: 4, becomes: [.next(210, 0), .next(220, 1), .next(230, 2), .completed(234)]) { [scheduler] in
      Observable<Int>.interval(.seconds(10), scheduler: scheduler).take(3)
    }
  }

  @Test func whatIsTakenForATimeEndsInTheMidstOfTheReceiver() {
    let xs = hot(210, 220, 270)
    expect(taking: 60, becomes: [.next(210, 210), .next(270, 220), .completed(330)]) { [scheduler] in
      xs.take(for: .seconds(50), scheduler: scheduler)
    }
  }

  // MARK: Elements from within

  /// What comes out of `operation` when its receiver sends `replies[element]` into the source on `element`.
  private func replies<Output: Sendable>(
    _ first: Int, _ replies: [String: [Int]], at time: TestTime = 210,
    _ operation: (Observable<Int>) -> Observable<Output>
  ) -> [String] {
    let (subject, log) = (PublishSubject<Int>(), Recorder<String>())
    let subscription = operation(subject).subscribe(onNext: { [scheduler] element in
      log.record("\(scheduler.clock): \(element)")
      for reply in replies["\(element)"] ?? [] { subject.onNext(reply) }
    })
    scheduler.scheduleAt(time) { subject.onNext(first) }
    scheduler.advanceTo(400)
    subscription.dispose()
    return log.values
  }

  @Test func debounceSendsWhatCameWhileItSent() {
    let values = replies(1, ["1": [2, 3], "3": [4]]) { [scheduler] in $0.debounce(.seconds(10), scheduler: scheduler) }
    #expect(values == ["220: 1", "230: 3", "240: 4"])
  }

  @Test func throttleSendsTheLatestOfThoseThatCameWhileItSent() {
    let values = replies(0, ["1": [2, 3]]) { [scheduler] source in
      // The second of two is sent by the timer; it leads to others.
      source.flatMap { Observable.of($0, $0 + 1) }.take(10).throttle(.seconds(10), scheduler: scheduler).take(3)
    }
    #expect(values.first == "210: 0")
    #expect(values.dropFirst().first == "220: 1")
  }

  @Test func delayDelaysWhatCameWhileItSent() {
    let values = replies(1, ["1": [2, 3]]) { [scheduler] in $0.delay(.seconds(10), scheduler: scheduler) }
    #expect(values == ["220: 1", "230: 2", "231: 3"])
  }

  @Test(arguments: [
    // The first buffer is full in the one case, and its time is over in the other.
    (1, ["[1]": [2], "[2]": [3]], ["50: [1]", "50: [2]", "50: [3]", "150: []", "250: []", "350: []"]),
    (2, ["[1]": [2, 3], "[2, 3]": [4]], ["100: [1]", "100: [2, 3]", "200: [4]", "300: []", "400: []"]),
  ])
  func aBufferMayFillTheNextOne(count: Int, sending: [String: [Int]], expected: [String]) {
    let values = replies(1, sending, at: 50) { [scheduler] in
      $0.buffer(timeSpan: .seconds(100), count: count, scheduler: scheduler)
    }
    #expect(values == expected)
  }

  @Test func aWindowMayBeFullBeforeItsReceiverIsBack() {
    let (subject, log) = (PublishSubject<Int>(), Recorder<String>())
    _ = subject.window(timeSpan: .seconds(50), count: 2, scheduler: scheduler).enumerated()
      .subscribe(onNext: { [scheduler] index, window in
        _ = window.subscribe(
          onNext: { log.record("\(index): \($0)") }, onCompleted: { log.record("\(index)| \(scheduler.clock)") })
        if index == 1 { for element in 3...5 { subject.onNext(element) } }
      })
    for element in 1...2 { subject.onNext(element) }
    scheduler.advanceTo(60)
    // The second was full before its receiver was back; the time of the third is its own.
    #expect(log.values == ["0: 1", "0: 2", "0| 0", "1: 3", "1: 4", "1| 0", "2: 5", "2| 50"])
  }

  @Test(arguments: [(2, ["0: 1", "0: 2", "0|", "1: 3"]), (1, ["0: 1", "0: 2", "0|", "1: 3", "1|"])])
  func anElementOfAWindowMayLeadToItsLastOne(count: Int, expected: [String]) {
    let (subject, log) = (PublishSubject<Int>(), Recorder<String>())
    _ = subject.window(timeSpan: .seconds(50), count: count, scheduler: scheduler).enumerated()
      .subscribe(onNext: { index, window in
        _ = window.subscribe(
          onNext: { element in
            log.record("\(index): \(element)")
            if element == 1 { subject.onNext(2) }
          }, onCompleted: { log.record("\(index)|") })
      })
    subject.onNext(1)
    subject.onNext(3)
    #expect(log.values == expected)
  }

  // MARK: Merging

  @Test func anElementDoesNotOvertakeThoseThatWait() {
    let (subject, log) = (PublishSubject<Int>(), Recorder<Int>())
    let gates = (0...4).map { _ in PublishSubject<Int>() }
    let sequences = gates.enumerated().map { index, gate in
      Observable<Int>.deferred {
        log.record(index)
        // While the third begins, there is room for another, and 3 waits already.
        if index == 2 {
          gates[1].onCompleted()
          subject.onNext(4)
        }
        return gate.asObservable()
      }
    }
    _ = subject.map { sequences[$0] }.merge(maxConcurrent: 2).subscribe()
    for index in 0...3 { subject.onNext(index) }
    gates[0].onCompleted()
    #expect(log.values == [0, 1, 2, 3])
    gates[2].onCompleted()
    #expect(log.values == [0, 1, 2, 3, 4])
  }

  @Test(arguments: [1, 2, 3]) func neverMoreAtATimeThanAllowed(limit: Int) {
    let (subject, log) = (PublishSubject<Int>(), Recorder<Int>())
    let gates = (0..<7).map { _ in PublishSubject<Int>() }
    _ = subject.map { index in
      gates[index].do(
        onCompleted: { if index + 3 < 7 { subject.onNext(index + 3) } },
        onSubscribed: { log.record(gates.count(where: \.hasObservers)) })
    }.merge(maxConcurrent: limit).subscribe()
    for index in 0..<3 { subject.onNext(index) }
    #expect(gates.count(where: \.hasObservers) == limit)
    for gate in gates { gate.onCompleted() }
    #expect(log.values.count == 7)
    #expect(log.values.max() == limit)
  }
}
