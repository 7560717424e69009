import Rx
import RxBinding
import RxTestSupport
import TestSupport
import Testing

/// The spellings of older tutorials still work for control events.
@MainActor
@Suite struct OldControlNamesTests: OldControlNames {
  @Test func oldNames() { (self as any OldControlNames).logOldNames() }

  @available(*, deprecated)
  fileprivate func logOldNames() {
    let (taps, stop, log, bag) = (PublishSubject<Int>(), PublishSubject<Void>(), Recorder<String>(), DisposeBag())
    let event = ControlEvent(events: taps)
    let ways: [(String, MainObservable<Int>)] = [
      ("takeUntil", event.takeUntil(stop)), ("skipUntil", event.skipUntil(stop)),
      ("takeWhile", event.takeWhile { $0 < 2 }), ("skipWhile", event.skipWhile { $0 < 2 }),
      ("elementAt", event.elementAt(1)),
      ("catch", event.map { if $0 == 2 { throw TestError.first } else { $0 } }.catchErrorJustReturn(9)),
    ]
    for (name, way) in ways {
      way.subscribe(onNext: { log.record("\(name) \($0)") }).disposed(by: bag)
    }
    event.observeOn(CurrentThreadScheduler.instance)
      .subscribe(onNext: { log.record("observeOn \($0)") }).disposed(by: bag)
    event.subscribeOnMain(onNext: { log.record("subscribeOnMain \($0)") }).disposed(by: bag)
    event.subscribeOnMain(with: bag, onNext: { log.record("subscribeOnMain with \($1)") }).disposed(by: bag)
    event.bindOnMain { log.record("bindOnMain \($0)") }.disposed(by: bag)
    event.bindOnMain(with: bag) { log.record("bindOnMain with \($1)") }.disposed(by: bag)
    taps.onNext(1)
    stop.onNext(())
    taps.onNext(2)
    #expect(
      log.values.sorted() == [
        "bindOnMain 1", "bindOnMain 2", "bindOnMain with 1", "bindOnMain with 2", "catch 1", "catch 9",
        "elementAt 2", "observeOn 1", "observeOn 2", "skipUntil 2", "skipWhile 2",
        "subscribeOnMain 1", "subscribeOnMain 2", "subscribeOnMain with 1", "subscribeOnMain with 2", "takeUntil 1",
        "takeWhile 1",
      ])
  }
}

/// What is called through a protocol may be deprecated without a warning where it is called.
@MainActor
private protocol OldControlNames {
  func logOldNames()
}
