import Rx
import RxBinding
import RxTestSupport
import Testing

/// Control events and observables together: what is the main actor's alone keeps its actor, what is mixed is an ordinary
/// sequence. That this file compiles is a part of the test: the closures read what is the main actor's.
@MainActor @Suite(.inTurn) struct CombiningTests {
  private let plus = PublishSubject<Void>()
  private let minus = PublishSubject<Void>()
  private let log = Recorder<String>()
  private let bag = DisposeBag()
  private let step = 1

  private var plusTap: ControlEvent<Void> { ControlEvent(events: plus) }
  private var minusTap: ControlEvent<Void> { ControlEvent(events: minus) }
  private var name: ControlProperty<String> {
    ControlProperty(values: Observable.just("n").concat(Observable.never()), valueSink: AnyObserver { _ in })
  }

  private func tapAll() {
    plus.onNext(())
    minus.onNext(())
    plus.onNext(())
  }

  @Test func mergedTapsAreTheMainActors() {
    Observable.merge(plusTap.map { step }, minusTap.map { -step })
      .scan(0) { $0 + $1 * step }
      .subscribe(onNext: { log.record("\(step): \($0)") }).disposed(by: bag)
    tapAll()
    #expect(log.values == ["1: 1", "1: 0", "1: 1"])
  }

  @Test func tapsAreMergedWithoutAnOperator() {
    let taps: MainObservable<Void> = Observable.merge(plusTap, minusTap)
    taps.subscribe(onNext: { log.record("\(step)") }).disposed(by: bag)
    tapAll()
    #expect(log.values == ["1", "1", "1"])
  }

  @Test func tapsAreMergedWithAnObservable() {
    let numbers = PublishSubject<Int>()
    Observable.merge(plusTap.map { step }, numbers, minusTap.map { -step }).map { $0 * 2 }
      .subscribe(onNext: { [log] in log.record("\($0)") }).disposed(by: bag)
    tapAll()
    numbers.onNext(7)
    #expect(log.values == ["2", "-2", "2", "14"])
  }

  @Test func concatenated() {
    Observable.concat(plusTap.take(1).map { step }, minusTap.map { -step })
      .subscribe(onNext: { log.record("\(step): \($0)") }).disposed(by: bag)
    Observable.concat(plusTap.take(1).map { step }, Observable.of(8, 9))
      .subscribe(onNext: { [log] in log.record("mixed \($0)") }).disposed(by: bag)
    tapAll()
    #expect(log.values == ["1: 1", "mixed 1", "mixed 8", "mixed 9", "1: -1"])
  }

  @Test func combined() {
    let count = plusTap.map { step }.scan(0) { $0 + $1 }
    Observable.combineLatest(name, count) { "\(step): \($0)\($1)" }
      .subscribe(onNext: { log.record("\(step) \($0)") }).disposed(by: bag)
    Observable.combineLatest(name, count).subscribe(onNext: { log.record("\(step) pair \($0)\($1)") }).disposed(by: bag)
    Observable.combineLatest(name, count, Observable.just("m")) { "\($0)\($1)\($2)" }
      .subscribe(onNext: { [log] in log.record("mixed \($0)") }).disposed(by: bag)
    plus.onNext(())
    #expect(log.values == ["1 1: n1", "1 pair n1", "mixed n1m"])
  }

  #if compiler(>=6.3)
    /// These compile, each closure in a fraction of a second. Swift 6.2 gives up on the sums.
    @Test func eightAreCombinedInOneExpression() {
      let (driver, infallible, single) = (Driver.just(step), Infallible.just(step), Single.just(step))
      Driver.combineLatest(driver, driver, driver, driver, driver, driver, driver, driver) {
        $0 + $1 + $2 + $3 + $4 + $5 + $6 + $7
      }
      .drive(onNext: { log.record("\($0)") }).disposed(by: bag)
      Infallible.zip(infallible, infallible, infallible, infallible, infallible, infallible, infallible, infallible) {
        $0 + $1 + $2 + $3 + $4 + $5 + $6 + $7
      }
      .subscribe(onNext: { [log] in log.record("\($0)") }).disposed(by: bag)
      Single.zip(single, single, single, single, single, single, single, single) {
        $0 + $1 + $2 + $3 + $4 + $5 + $6 + $7
      }
      .subscribe(onSuccess: { [log] in log.record("\($0)") }).disposed(by: bag)
      #expect(log.values == ["8", "8", "8"])
    }
  #endif

  @Test func zipped() {
    Observable.zip(plusTap.map { step }, minusTap) { number, _ in number + step }
      .subscribe(onNext: { log.record("\(step): \($0)") }).disposed(by: bag)
    Observable.zip(plusTap.map { step }, minusTap.map { -step })
      .subscribe(onNext: { log.record("\(step) pair \($0)\($1)") }).disposed(by: bag)
    Observable.zip(plusTap.map { step }, Observable.of("a", "b")) { "\($0)\($1)" }
      .subscribe(onNext: { [log] in log.record("mixed \($0)") }).disposed(by: bag)
    tapAll()
    #expect(log.values == ["mixed 1a", "1: 2", "1 pair 1-1", "mixed 1b"])
  }

  /// Fails if the subscription begins, or the closure runs, where the subscriber is.
  @Test func fromAnotherThreadItGoesToTheMainActor() async {
    let wasOnMain = Recorder<Bool>()
    let event = ControlEvent(
      events: Observable<Int>.create { observer in
        wasOnMain.recordWhetherOnMain()
        observer.onNext(step)
        return Disposables.create()
      })
    let taps: Observable<Void> = event.map { _ in wasOnMain.recordWhetherOnMain() }
    let both = Observable.merge(event, event.map { $0 + step })
    onBackgroundQueue { [bag] in
      taps.subscribe().disposed(by: bag)
      both.subscribe(onNext: { _ in wasOnMain.recordWhetherOnMain() }).disposed(by: bag)
    }
    #expect(await eventually { wasOnMain.values.count == 6 })
    #expect(!wasOnMain.values.contains(false))
  }
}
