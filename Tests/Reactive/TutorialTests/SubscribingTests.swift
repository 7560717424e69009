import Rx
import RxTestSupport
import Testing

/// The first tutorial, lines 19 to 26: subscribing with closures.
@MainActor @Suite(.inTurn) struct SubscribingTests {
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
}
