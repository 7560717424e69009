import Dispatch
import Rx
import RxBinding
import RxTerminal
import RxTestSupport
import TerminalKit
import Testing
import TestSupport

/// The first tutorial, lines 80 to 127: `bind(to:)` is a plain subscription; a `Driver` never fails, shares, and keeps to the main actor.
@MainActor
@Suite struct BindAndDriveTests {
  private let bag = DisposeBag()

  /// A search that fails when it is asked for nothing.
  private nonisolated static func search(_ query: String) -> Observable<[String]> {
    query.isEmpty ? .error(Failure.offline) : .just(["\(query) 1", "\(query) 2"])
  }

  @Test func aFailingSourceEndsABinding() {
    let shown = Recorder<[String]>()
    let ended = Recorder<String>()
    let queries = PublishSubject<String>()
    queries
      .flatMapLatest { Self.search($0) }
      .bind(
        to: AnyObserver { event in
          switch event {
          case .next(let results): shown.record(results)
          case .error(let error): ended.record("\(error)")
          case .completed: break
          }
        }
      )
      .disposed(by: bag)
    for query in ["a", "", "b"] { queries.onNext(query) }
    #expect(shown.values == [["a 1", "a 2"]])
    #expect(ended.values == ["offline"])
  }

  @Test func aFailingSourceDoesNotEndADriver() {
    let label = LoggedLabel()
    let field = TextField()
    field.rx.text.orEmpty.asDriver()
      .flatMapLatest { Self.search($0).asDriver(onErrorJustReturn: []) }
      .map { "\($0.count) results" }
      .drive(label.rx.text)
      .disposed(by: bag)
    field.type("a")
    field.type("")
    field.type("b")
    #expect(label.texts == ["0 results", "2 results", "0 results", "2 results"])
  }

  @Test func anErrorHasThreeWaysIntoADriver() {
    let failing = Observable<Int>.of(1).concat(Observable.error(Failure.offline))
    let log = Recorder<[Int]>()
    let recovered = Recorder<Failure?>()
    let drivers = [
      failing.asDriver(onErrorJustReturn: -1),
      failing.asDriver(onErrorDriveWith: .just(2)),
      failing.asDriver { error in
        recovered.record(error as? Failure)
        return .just(4)
      },
    ]
    for driver in drivers {
      driver.asObservable().toArray().subscribe(onSuccess: { log.record($0) }).disposed(by: bag)
    }
    #expect(log.values == [[1, -1], [1, 2], [1, 4]])
    #expect(recovered.values == [.offline])
  }

  @Test func aDriverSharesOneExecutionAndABindingDoesNot() {
    let executions = Recorder<String>()
    let source = Observable<String>.create { observer in
      executions.record("run")
      observer.onNext("answer")
      return Disposables.create()
    }
    let labels = (0..<6).map { _ in LoggedLabel() }
    source.bind(to: labels[0].rx.text).disposed(by: bag)
    source.bind(to: labels[1].rx.text).disposed(by: bag)
    #expect(executions.values.count == 2)

    let driver = source.asDriver(onErrorJustReturn: "")
    driver.drive(labels[2].rx.text).disposed(by: bag)
    driver.drive(labels[3].rx.text).disposed(by: bag)
    #expect(executions.values.count == 3)

    // The way that a plain sequence shares.
    let shared = source.share(replay: 1)
    shared.bind(to: labels[4].rx.text).disposed(by: bag)
    shared.bind(to: labels[5].rx.text).disposed(by: bag)
    #expect(executions.values.count == 4)
    #expect(labels.map(\.text) == Array(repeating: "answer", count: 6))
  }

  @Test func bothDeliverOnTheMainActor() async {
    let (bound, driven) = (LoggedLabel(), LoggedLabel())
    let background = ConcurrentDispatchQueueScheduler(qos: .userInitiated)
    let source = Observable.of("from elsewhere").observe(on: background)
    source.bind(to: Binder(bound) { label, text in if isOnMainActor() { label.text = text } }).disposed(by: bag)
    source.asDriver(onErrorJustReturn: "")
      .drive(onNext: { [weak driven] text in if isOnMainActor() { driven?.text = text } })
      .disposed(by: bag)
    #expect(await eventually { bound.text != nil && driven.text != nil })
    #expect(bound.texts == ["from elsewhere"])
    #expect(driven.texts == ["from elsewhere"])
  }

  @Test func onePlaceMayBeBoundToSeveralObservers() {
    let (label, relay) = (LoggedLabel(), BehaviorRelay<String?>(value: nil))
    let other = LoggedLabel()
    let source = PublishRelay<String?>()
    source.bind(to: label.rx.text, other.rx.text).disposed(by: bag)
    source.bind(to: relay).disposed(by: bag)
    source.accept("both")
    #expect([label.text, other.text, relay.value] == ["both", "both", "both"])
  }
}
