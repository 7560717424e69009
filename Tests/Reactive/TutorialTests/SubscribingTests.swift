import Rx
import Testing

/// The first tutorial, lines 19 to 26: subscribing with closures.
@MainActor
@Suite struct SubscribingTests {
  @Test func subscribeTakesFourClosures() {
    let log = Log<String>()
    let bag = DisposeBag()
    Observable.of(1, 2)
      .subscribe(
        onNext: { log.add("value \($0)") },
        onError: { log.add("error \($0)") },
        onCompleted: { log.add("completed") },
        onDisposed: { log.add("disposed") }
      )
      .disposed(by: bag)
    #expect(log.entries == ["value 1", "value 2", "completed", "disposed"])
  }

  @Test func anErrorEndsASubscription() {
    let log = Log<String>()
    let bag = DisposeBag()
    let source = PublishSubject<Int>()
    source
      .subscribe(
        onNext: { log.add("value \($0)") },
        onError: { log.add("error \($0)") },
        onCompleted: { log.add("completed") },
        onDisposed: { log.add("disposed") }
      )
      .disposed(by: bag)
    source.onNext(1)
    source.onError(Failure.offline)
    source.onNext(2)
    #expect(log.entries == ["value 1", "error offline", "disposed"])
  }

  @Test func aBagEndsWhatIsInIt() {
    let log = Log<String>()
    let source = PublishSubject<Int>()
    var bag: DisposeBag? = DisposeBag()
    if let bag {
      source.subscribe(onNext: { log.add("\($0)") }, onDisposed: { log.add("disposed") }).disposed(by: bag)
    }
    source.onNext(1)
    bag = nil
    source.onNext(2)
    #expect(log.entries == ["1", "disposed"])
  }
}
