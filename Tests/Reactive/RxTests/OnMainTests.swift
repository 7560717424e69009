import Rx
import RxTestSupport
import Testing

/// The names that say that a plain sequence's closures belong to the main actor.
@MainActor @Suite(.inTurn) struct OnMainTests {
  private let subject = PublishSubject<Int>()
  private let screen = Screen()

  /// What a user of the library has: an object of the main actor.
  @MainActor
  private final class Screen {
    var lines: [String] = []
  }

  @Test func whatIsSentOnTheMainActorArrivesAtOnce() {
    let subscription = subject.subscribeOnMain(
      onNext: { screen.lines.append("\($0)") }, onCompleted: { screen.lines.append("completed") },
      onDisposed: { screen.lines.append("disposed") })
    subject.onNext(1)
    #expect(screen.lines == ["1"])
    subject.onCompleted()
    #expect(screen.lines == ["1", "completed", "disposed"])
    subscription.dispose()
    #expect(screen.lines.count == 3)
  }

  @Test func whatIsSentElsewhereArrivesInOrder() async {
    _ = subject.subscribeOnMain(
      with: screen, onNext: { $0.lines.append("\($1)") }, onError: { $0.lines.append("\($1)") },
      onDisposed: { $0.lines.append("disposed") })
    await Task.detached {
      for number in 1...3 { subject.onNext(number) }
      subject.onError(TestError.first)
    }.value
    #expect(await eventually { screen.lines.count == 5 })
    #expect(screen.lines == ["1", "2", "3", "first", "disposed"])
  }

  /// As with `subscribe`: what a source sends while it is sending arrives inside of it.
  @Test func whatIsSentInsideAnElementNests() {
    let again = PublishRelay<Int>()
    let nested = Observable<Int>.create { observer in
      let subscription = again.subscribe(onNext: { observer.onNext($0) })
      observer.onNext(1)
      return subscription
    }
    let subscription = nested.subscribeOnMain(onNext: { element in
      screen.lines.append("begin \(element)")
      if element < 2 { again.accept(element + 1) }
      screen.lines.append("end \(element)")
    })
    #expect(screen.lines == ["begin 1", "begin 2", "end 2", "end 1"])
    subscription.dispose()
  }

  @Test func whatIsOnItsWayWhenASubscriptionIsDisposedOfDoesNotArrive() async {
    let subscription = subject.subscribeOnMain(
      onNext: { screen.lines.append("\($0)") }, onCompleted: { screen.lines.append("completed") },
      onDisposed: { screen.lines.append("disposed") })
    onBackgroundQueue {
      subject.onNext(1)
      subject.onCompleted()
    }
    subscription.dispose()
    let passed = Recorder<Bool>()
    MainQueue.runLater { passed.record(true) }
    #expect(await eventually { !passed.values.isEmpty })
    #expect(await eventually { screen.lines == ["disposed"] })
  }

  @Test func anEndedSubscriptionKeepsNothingThoughTheBagDoes() {
    let bag = DisposeBag()
    var screen: Screen? = Screen()
    weak let weakScreen = screen
    if let screen { subject.bindOnMain(onNext: { screen.lines.append("\($0)") }).disposed(by: bag) }
    subject.onNext(1)
    #expect(screen?.lines == ["1"])
    screen = nil
    #expect(weakScreen != nil)
    subject.onCompleted()
    #expect(weakScreen == nil)
    withExtendedLifetime(bag) {}
  }

  @Test func anObjectThatIsGoneIsNotCalled() {
    var screen: Screen? = Screen()
    let calls = Recorder<Int>()
    _ = subject.bindOnMain(with: screen!) { screen, number in
      screen.lines.append("\(number)")
      calls.record(number)
    }
    subject.onNext(1)
    screen = nil
    subject.onNext(2)
    #expect(calls.values == [1])
  }

  @Test func aSequenceMadeOnTheMainActorMayBeSubscribedToAnywhere() async {
    let answers = Observable<Int>.createOnMain { observer in
      screen.lines.append("shown")
      observer.onNext(7)
      return Disposables.createOnMain { screen.lines.append("dismissed") }
    }
    let here = answers.subscribe()
    #expect(screen.lines == ["shown"])
    here.dispose()
    #expect(screen.lines == ["shown", "dismissed"])

    let received = Recorder<Int>()
    let there = await Task.detached { answers.subscribe(onNext: { received.record($0) }) }.value
    #expect(await eventually { received.values == [7] })
    #expect(screen.lines.last == "shown")
    await Task.detached { there.dispose() }.value
    #expect(await eventually { screen.lines == ["shown", "dismissed", "shown", "dismissed"] })
  }

  @Test func aDisposableOfTheMainActorIsDisposedOfAnywhereOnce() async {
    let disposable = Disposables.createOnMain { screen.lines.append("gone") }
    await Task.detached {
      disposable.dispose()
      disposable.dispose()
    }.value
    #expect(await eventually { !screen.lines.isEmpty })
    disposable.dispose()
    #expect(screen.lines == ["gone"])
    #expect(disposable.isDisposed)
  }
}
