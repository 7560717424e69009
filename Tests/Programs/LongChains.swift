// Ten chains as long as the longest of RxSwift's playground and of its tutorials, without a type in a closure. An
// expression that takes the compiler longer than two seconds is refused.
import Rx
import RxBinding

struct Failure: Error {}

let bag = DisposeBag()
let relay = BehaviorRelay(value: 0)
let taps = PublishSubject<Void>()
let query = PublishSubject<String>()
let main = MainScheduler.instance

Observable.of(1, 2, 3, 4, 5, 6, 7, 8).map { $0 + 1 }.filter { $0 > 2 }.map { $0 * 2 }.map { $0 - 1 }
  .filter { $0 % 2 == 1 }.scan(0) { $0 + $1 }.map { $0 + 1 }.distinctUntilChanged { $0 == $1 }
  .bind { print($0) }.disposed(by: bag)

Observable.of(1, 2, 3, 4, 5, 6, 7, 8).map { $0 + 1 }.map { $0 + 2 }.map { $0 + 3 }.map { $0 + 4 }.map { $0 + 5 }
  .map { $0 + 6 }.map { $0 + 7 }.map { $0 + 8 }.distinctUntilChanged { $0 % 2 }.bind(to: relay).disposed(by: bag)

Observable.of("10", "2", "abc").map { $0.count }.map { $0 * 2 }.startWith(0).filter { $0 < 30 }
  .reduce(0) { $0 + $1 }.map { "\($0) in all" }.do(onNext: { print($0) }, onCompleted: { print("done") })
  .subscribe { print($0) }.disposed(by: bag)

query.debounce(.milliseconds(300), scheduler: main).map { $0.lowercased() }.filter { $0.count > 2 }
  .distinctUntilChanged().flatMapLatest { Observable.just([$0, $0 + "s"]).catchAndReturn([]) }
  .map { $0.filter { !$0.isEmpty } }.map { $0.count }.share(replay: 1).bind { print($0) }.disposed(by: bag)

Observable.of(1, 2, 3).flatMap { Observable.just($0 + 1) }.concatMap { Observable.of($0, $0 * 2) }
  .flatMapFirst { Observable.just($0 - 1) }.flatMapLatest { Observable.just("\($0)") }.map { $0 + "!" }
  .enumerated().map { "\($0): \($1)" }.toArray().map { $0.joined(separator: ", ") }
  .subscribe(onSuccess: { print($0) }, onFailure: { print($0) }).disposed(by: bag)

Observable.combineLatest(
  relay.filter { $0 > 0 }, Observable.of(1, 2, 3).take(while: { $0 < 5 }), query.map { $0.count }.startWith(0)
) { $0 + $1 + $2 }.map { $0 > 3 }.distinctUntilChanged().withLatestFrom(relay) { $0 ? $1 : -$1 }
  .subscribe(onNext: { print($0) }).disposed(by: bag)

Observable.zip(Observable.of("a", "b", "c"), Observable.of(1, 2, 3).filter { $0 > 1 }) { "\($0) \($1)" }
  .map { $0.count }.scan(0) { $0 + $1 }.filter { $0 > 2 }
  .subscribe(onNext: { print($0) }, onCompleted: { print("done") }).disposed(by: bag)

Observable.merge(
  Observable.of(1, 2).map { $0 + 1 }, Observable.of(3, 4).map { $0 + 1 }, taps.scan(0) { count, _ in count + 1 },
  Observable.of(5, 6).map { $0 * 2 }.filter { $0 > 10 }
).groupBy { $0 % 2 }.flatMap { $0.map { $0 * 10 }.take(2) }.map { $0 + 1 }.filter { $0 != 11 }
  .subscribe(onNext: { print($0) }).disposed(by: bag)

Observable.of(1, 2, 3).map { if $0 == 3 { throw Failure() } else { $0 } }.map { $0 + 1 }
  .retry(when: { $0.enumerated().flatMap { $0 < 2 ? Observable.just($0) : Observable.error($1) } })
  .catch { _ in Observable.of(7, 8).map { $0 + 1 } }.materialize().filter { !$0.isStopEvent }.dematerialize()
  .map { $0 * 2 }.take(until: { $0 > 16 }, behavior: .inclusive).bind { print($0) }.disposed(by: bag)

let total = relay.asDriver().map { $0 * 2 }.filter { $0 > 1 }.distinctUntilChanged { $0 == $1 }
  .flatMapLatest { Driver.of($0, $0 + 1) }.map { "\($0)" }
total.drive { print($0) }.disposed(by: bag)
