import Observation
import Rx
import RxBinding
import RxTestSupport
import Testing

/// What the page on Swift concurrency promises.
@MainActor @Suite(.inTurn, .timeLimit(.minutes(30)))
struct ConcurrencyTests {
  @MainActor
  @Observable
  final class Dashboard {
    var speed = 0.0
    var title: String?
  }

  private actor Logbook {
    private(set) var lines: [Int] = []

    func keep(_ positions: Observable<Int>) async throws {
      for try await position in positions.values { lines.append(position) }
    }
  }

  private enum Context {
    @TaskLocal static var name = "none"
    static var description: String { "\(name) \(Task.basePriority == .low)" }
  }

  @Test func tasksOfSubscriptionsAreDetachedWhereRxSwiftSaysSo() async {
    let contexts = AsyncStream(unfolding: { Optional(Context.description) })
    let seen = Recorder<String>()
    let bag = DisposeBag()
    for (count, source) in [
      contexts.asObservable(priority: .low).take(1),
      Single.create(detached: true, priority: .low) { Context.description }.asObservable(),
      Single.create(priority: .low) { Context.description }.asObservable(),
    ].enumerated() {
      Context.$name.withValue("here") { source.subscribe(onNext: { seen.record($0) }).disposed(by: bag) }
      #expect(await eventually { seen.values.count == count + 1 })
    }
    #expect(seen.values == ["none true", "none true", "here true"])
  }

  @Test func relaysAreSequencesOfValues() async throws {
    let relay = BehaviorRelay(value: 1)
    let values = relay.values
    relay.accept(2)
    var received: [Int] = []
    for try await value in values {
      received.append(value)
      if received.count == 2 { break }
    }
    #expect(received == [1, 2])
  }

  @Test func anActorTakesTheElementsOfASequence() async throws {
    let logbook = Logbook()
    try await logbook.keep(Observable.from(1...100))
    #expect(await logbook.lines == Array(1...100))
    let failing = Observable.of(101).concat(Observable<Int>.error(TestError.first))
    await #expect(throws: TestError.first) { try await logbook.keep(failing) }
    #expect(await logbook.lines.last == 101)
  }

  @Test func aChangeOfAModelIsAnElement() async {
    let dashboard = Dashboard()
    let received = Recorder<Double>()
    let subscription = Observations { dashboard.speed }.asObservable()
      .subscribe(onNext: { received.record($0) })
    #expect(await eventually { received.values == [0] })
    dashboard.speed = 7
    #expect(await eventually { received.values == [0, 7] })
    subscription.dispose()
  }

  @Test func aPropertyOfAModelIsBoundByItsKeyPath() async {
    let bag = DisposeBag()
    var dashboard: Dashboard? = Dashboard()
    weak let weakDashboard = dashboard
    let speeds = PublishSubject<Double>()
    let titles = BehaviorRelay<String?>(value: "first")
    let (names, gusts) = (BehaviorRelay(value: "name"), PublishRelay<Double>())
    if let dashboard {
      speeds.bind(to: \.speed, on: dashboard).disposed(by: bag)
      titles.asDriver().drive(\.title, on: dashboard).disposed(by: bag)
      titles.compactMap { $0 }.bind(to: \.title, on: dashboard).disposed(by: bag)
      gusts.asSignal().emit(to: \.speed, on: dashboard).disposed(by: bag)
      gusts.asSignal().map { "\($0)" }.emit(to: \.title, on: dashboard).disposed(by: bag)
    }
    speeds.onNext(3)
    #expect(dashboard?.speed == 3)
    #expect(dashboard?.title == "first")
    gusts.accept(9)
    #expect(dashboard?.speed == 9)
    #expect(dashboard?.title == "9.0")
    gusts.accept(10)
    #expect(dashboard?.title == "10.0")
    if let dashboard {
      // A property that is optional takes elements that are not.
      names.asDriver().drive(\.title, on: dashboard).disposed(by: bag)
      #expect(dashboard.title == "name")
      ControlEvent(events: names.map { "\($0) of a control" }).bind(to: \.title, on: dashboard).disposed(by: bag)
      #expect(dashboard.title == "name of a control")
    }
    await Task.detached { speeds.onNext(4) }.value
    #expect(await eventually { dashboard?.speed == 4 })
    dashboard = nil
    #expect(weakDashboard == nil)
    speeds.onNext(5)
    withExtendedLifetime(bag) {}
  }
}
