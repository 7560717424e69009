import Rx
import RxTestSupport
import TestSupport
import Testing

/// The first tutorial, lines 19 to 26: subscribing with closures.
@MainActor
@Suite struct SubscribingTests {
  @Test func subscribeTakesFourClosures() {
    let log = Recorder<String>()
    let bag = DisposeBag()
    Observable.of(1, 2)
      .subscribe(
        onNext: { log.record("value \($0)") },
        onError: { log.record("error \($0)") },
        onCompleted: { log.record("completed") },
        onDisposed: { log.record("disposed") }
      )
      .disposed(by: bag)
    #expect(log.values == ["value 1", "value 2", "completed", "disposed"])
  }

  @Test func anErrorEndsASubscription() {
    let log = Recorder<String>()
    let bag = DisposeBag()
    let source = PublishSubject<Int>()
    source
      .subscribe(
        onNext: { log.record("value \($0)") },
        onError: { log.record("error \($0)") },
        onCompleted: { log.record("completed") },
        onDisposed: { log.record("disposed") }
      )
      .disposed(by: bag)
    source.onNext(1)
    source.onError(Failure.offline)
    source.onNext(2)
    #expect(log.values == ["value 1", "error offline", "disposed"])
  }

  @Test func aBagEndsWhatIsInIt() {
    let log = Recorder<String>()
    let source = PublishSubject<Int>()
    var bag: DisposeBag? = DisposeBag()
    if let bag {
      source.subscribe(onNext: { log.record("\($0)") }, onDisposed: { log.record("disposed") }).disposed(by: bag)
    }
    source.onNext(1)
    bag = nil
    source.onNext(2)
    #expect(log.values == ["1", "disposed"])
  }
}
