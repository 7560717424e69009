import Dispatch
import Rx
import RxBinding
import RxTestSupport
import Testing
import TestSupport

/// A class that calls its listeners and knows nothing of this library.
@MainActor
private final class Knob {
  var position = 0
  private var listeners: [Int: () -> Void] = [:]
  private var lastToken = 0

  var listenerCount: Int { listeners.count }

  func addListener(_ listener: @escaping () -> Void) -> Int {
    lastToken += 1
    listeners[lastToken] = listener
    return lastToken
  }

  func removeListener(_ token: Int) { listeners[token] = nil }

  func turn(to position: Int) {
    self.position = position
    for listener in listeners.values { listener() }
  }

  var turned: ControlEvent<Int> {
    ControlEvent(of: self) { knob, send in
      knob.addListener { [weak knob] in if let knob { send(knob.position) } }
    } remove: { knob, token in
      knob.removeListener(token)
    }
  }

  var value: ControlProperty<Int> {
    ControlProperty(of: self) { knob in
      knob.position
    } set: { knob, position in
      knob.position = position
    } add: { knob, changed in
      knob.addListener { changed() }
    } remove: { knob, token in
      knob.removeListener(token)
    }
  }
}

/// A screen, which its closures may read and change.
@MainActor
private final class Panel {
  var lines: [String] = []
  var limit = 10
}

/// What a control event and a control property of an object's listeners promise, and their operators' closures.
@MainActor
@Suite struct ControlOfTests {
  @Test func bothCompleteWhenTheObjectGoesThoughTheBagIsHeld() {
    let bag = DisposeBag()
    var knob: Knob? = Knob()
    weak let weakKnob = knob
    let log = Recorder<String>()
    knob?.turned.subscribe(onCompleted: { log.record("event") }, onDisposed: { log.record("disposed") })
      .disposed(by: bag)
    knob?.value.subscribe(onCompleted: { log.record("property") }).disposed(by: bag)
    let later = knob?.turned
    knob = nil
    #expect(weakKnob == nil)
    #expect(Set(log.values) == ["event", "property", "disposed"])
    later?.subscribe(onCompleted: { log.record("later") }).disposed(by: bag)
    #expect(log.values.contains("later"))
    withExtendedLifetime(bag) {}
  }

  @Test func theyMayBeSubscribedToAndDisposedOfAnywhere() async {
    let knob = Knob()
    let isOnMain = Recorder<Bool>()
    let turned = knob.turned
    let subscription = await Task.detached {
      turned.subscribe(onNext: { _ in isOnMain.recordWhetherOnMain() })
    }.value
    #expect(await eventually { knob.listenerCount == 1 })
    knob.turn(to: 1)
    #expect(isOnMain.values == [true])
    await Task.detached { subscription.dispose() }.value
    #expect(await eventually { knob.listenerCount == 0 })
  }

  @Test func theClosuresOfOperatorsAreTheMainActors() {
    let (knob, panel) = (Knob(), Panel())
    let bag = DisposeBag()
    knob.value
      .filter { $0 < panel.limit }
      .do(onNext: { _ in panel.limit += 1 })
      .scan(0) { sum, position in min(sum + position, panel.limit) }
      .distinctUntilChanged { $0 == $1 && panel.limit > 0 }
      .take(while: { $0 <= panel.limit })
      .flatMapLatest { Observable.just("\($0) of \(panel.limit)") }
      .withUnretained(panel)
      .map { panel, text in "\(text) \(panel.lines.count)" }
      .subscribe(with: panel, onNext: { $0.lines.append($1) })
      .disposed(by: bag)
    knob.turned.compactMap { $0 > panel.limit ? "high" : nil }
      .bind(with: panel) { $0.lines.append($1) }
      .disposed(by: bag)
    knob.turn(to: 2)
    knob.turn(to: 90)
    #expect(panel.lines == ["0 of 11 0", "2 of 12 1", "high"])
  }

  @Test func whatAnotherSequenceSendsElsewhereComesToTheMainActor() async {
    let (knob, panel) = (Knob(), Panel())
    let bag = DisposeBag()
    let (names, end) = (PublishSubject<String>(), PublishSubject<Void>())
    knob.turned.withLatestFrom(names) { "\($1) of \(panel.limit), turned to \($0)" }
      .take(until: end)
      .subscribe(
        with: panel, onNext: { $0.lines.append($1) }, onError: { panel, _ in panel.lines.append("failed") },
        onCompleted: { $0.lines.append("completed") }
      )
      .disposed(by: bag)
    await Task.detached { names.onNext("one") }.value
    var turns = 0
    #expect(
      await eventually {
        turns += 1
        knob.turn(to: turns)
        return panel.lines == ["one of 10, turned to \(turns)"]
      })
    await Task.detached { end.onNext(()) }.value
    #expect(await eventually { panel.lines.last == "completed" })

    knob.turned.withLatestFrom(names)
      .subscribe(with: panel, onError: { panel, _ in panel.lines.append("failed") })
      .disposed(by: bag)
    await Task.detached { names.onError(TestError.first) }.value
    #expect(await eventually { panel.lines.last == "failed" })
  }

  @Test func whatAClosureThrowsEndsTheSequence() {
    let (knob, panel) = (Knob(), Panel())
    let subscription = knob.turned
      .map { position in
        if position > panel.limit { throw TestError.first }
        return position
      }
      .catch { error in
        panel.lines.append("\(error)")
        return .just(-1)
      }
      .subscribe(onNext: { panel.lines.append("\($0)") }, onCompleted: { panel.lines.append("completed") })
    knob.turn(to: 1)
    knob.turn(to: 11)
    #expect(panel.lines == ["1", "first", "-1", "completed"])
    subscription.dispose()
    #expect(knob.listenerCount == 0)
  }

  @Test(.timeLimit(.minutes(30)))
  func valuesEndWithTheObject() async {
    var knob: Knob? = Knob()
    let values = knob!.value.values
    let turns = knob!.turned.values
    knob?.turn(to: 8)
    knob = nil
    var received: [Int] = []
    for await value in values { received.append(value) }
    for await turn in turns { received.append(turn) }
    #expect(received == [0, 8, 8])
  }
}
