import Rx
import RxBinding
import RxTestSupport
import Testing

/// A screen, which its closures may read and change.
@MainActor
private final class Panel {
  var lines: [String] = []
  var limit = 10.0
}

/// What a control event and a control property of an object's listeners promise, and their operators' closures.
@MainActor @Suite(.inTurn) struct ControlOfTests {
  @Test func bothCompleteWhenTheObjectGoesThoughTheBagIsHeld() {
    let bag = DisposeBag()
    var dial: Dial? = Dial()
    weak let weakDial = dial
    let log = Recorder<String>()
    dial?.rx.turned.subscribe(onCompleted: { log.record("event") }, onDisposed: { log.record("disposed") })
      .disposed(by: bag)
    dial?.rx.angle.subscribe(onCompleted: { log.record("property") }).disposed(by: bag)
    let later = dial?.rx.turned
    dial = nil
    #expect(weakDial == nil)
    #expect(Set(log.values) == ["event", "property", "disposed"])
    later?.subscribe(onCompleted: { log.record("later") }).disposed(by: bag)
    #expect(log.values.contains("later"))
    withExtendedLifetime(bag) {}
  }

  @Test func theyMayBeSubscribedToAndDisposedOfAnywhere() async {
    let dial = Dial()
    let isOnMain = Recorder<Bool>()
    let turned = dial.rx.turned
    let subscription = await Task.detached { turned.subscribe(onNext: { _ in isOnMain.recordWhetherOnMain() }) }.value
    #expect(await eventually { dial.hasListeners })
    dial.turn(to: 1)
    #expect(isOnMain.values == [true])
    await Task.detached { subscription.dispose() }.value
    #expect(await eventually { !dial.hasListeners })
  }

  @Test func theClosuresOfOperatorsAreTheMainActors() {
    let (dial, panel) = (Dial(), Panel())
    let bag = DisposeBag()
    dial.rx.angle
      .filter { $0 < panel.limit }
      .do(onNext: { _ in panel.limit += 1 })
      .scan(0.0) { sum, position in min(sum + position, panel.limit) }
      .distinctUntilChanged { $0 == $1 && panel.limit > 0 }
      .take(while: { $0 <= panel.limit })
      .flatMapLatest { Observable.just("\($0) of \(panel.limit)") }
      .withUnretained(panel)
      .map { panel, text in "\(text) \(panel.lines.count)" }
      .subscribe(with: panel, onNext: { $0.lines.append($1) })
      .disposed(by: bag)
    dial.rx.turned.compactMap { $0 > panel.limit ? "high" : nil }
      .bind(with: panel) { $0.lines.append($1) }
      .disposed(by: bag)
    dial.turn(to: 2)
    dial.turn(to: 90)
    #expect(panel.lines == ["0.0 of 11.0 0", "2.0 of 12.0 1", "high"])
  }

  @Test func whatAnotherSequenceSendsElsewhereComesToTheMainActor() async {
    let (dial, panel) = (Dial(), Panel())
    let bag = DisposeBag()
    let (names, end) = (PublishSubject<String>(), PublishSubject<Void>())
    dial.rx.turned.withLatestFrom(names) { "\($1) of \(panel.limit), turned to \($0)" }
      .take(until: end)
      .subscribe(
        with: panel, onNext: { $0.lines.append($1) }, onError: { panel, _ in panel.lines.append("failed") },
        onCompleted: { $0.lines.append("completed") }
      )
      .disposed(by: bag)
    await Task.detached { names.onNext("one") }.value
    var turns = 0.0
    #expect(
      await eventually {
        turns += 1
        dial.turn(to: turns)
        return panel.lines == ["one of 10.0, turned to \(turns)"]
      })
    await Task.detached { end.onNext(()) }.value
    #expect(await eventually { panel.lines.last == "completed" })

    dial.rx.turned.withLatestFrom(names)
      .subscribe(with: panel, onError: { panel, _ in panel.lines.append("failed") })
      .disposed(by: bag)
    await Task.detached { names.onError(TestError.first) }.value
    #expect(await eventually { panel.lines.last == "failed" })
  }

  @Test func whatAClosureThrowsEndsTheSequence() {
    let (dial, panel) = (Dial(), Panel())
    let subscription = dial.rx.turned
      .map { position in
        if position > panel.limit { throw TestError.first }
        return position
      }
      .catch { error in
        panel.lines.append("\(error)")
        return .just(-1)
      }
      .subscribe(onNext: { panel.lines.append("\($0)") }, onCompleted: { panel.lines.append("completed") })
    dial.turn(to: 1)
    dial.turn(to: 11)
    #expect(panel.lines == ["1.0", "first", "-1.0", "completed"])
    subscription.dispose()
    #expect(!dial.hasListeners)
  }

  @Test(.timeLimit(.minutes(30)))
  func valuesEndWithTheObject() async {
    var dial: Dial? = Dial()
    let values = dial!.rx.angle.values
    let turns = dial!.rx.turned.values
    dial?.turn(to: 8)
    dial = nil
    var received: [Double] = []
    for await value in values { received.append(value) }
    for await turn in turns { received.append(turn) }
    #expect(received == [0, 8, 8])
  }
}
