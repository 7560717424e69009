import Rx
import RxBinding
import RxTerminal
import RxTestSupport
import TerminalKit
import Testing

/// The first tutorial, lines 80 to 127: `bind(to:)` is a plain subscription; a `Driver` never fails, shares, and keeps to the main actor.
@MainActor @Suite(.inTurn) struct BindAndDriveTests {
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
}
