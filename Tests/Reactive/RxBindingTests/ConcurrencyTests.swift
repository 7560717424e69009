import Observation
import Rx
import RxBinding
import RxTestSupport
import Testing
import TestSupport

/// What the page on Swift concurrency promises.
@MainActor
@Suite(.timeLimit(.minutes(5)))
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

  @Test func disposingCancelsTheAsynchronousSequence() async {
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    let cancelled = Recorder<Bool>()
    continuation.onTermination = { reason in
      if case .cancelled = reason { cancelled.record(true) }
    }
    let received = Recorder<Int>()
    let subscription = stream.asObservable().subscribe(onNext: { received.record($0) })
    continuation.yield(1)
    #expect(await eventually { received.values == [1] })
    subscription.dispose()
    #expect(await eventually { cancelled.values == [true] })
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
    await #expect(throws: TestError.first) { try await logbook.keep(.error(TestError.first)) }
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
    if let dashboard {
      speeds.bind(to: \.speed, on: dashboard).disposed(by: bag)
      titles.asDriver().drive(\.title, on: dashboard).disposed(by: bag)
      titles.compactMap { $0 }.bind(to: \.title, on: dashboard).disposed(by: bag)
    }
    speeds.onNext(3)
    #expect(dashboard?.speed == 3)
    #expect(dashboard?.title == "first")
    await Task.detached { speeds.onNext(4) }.value
    #expect(await eventually { dashboard?.speed == 4 })
    dashboard = nil
    #expect(weakDashboard == nil)
    speeds.onNext(5)
    withExtendedLifetime(bag) {}
  }
}
