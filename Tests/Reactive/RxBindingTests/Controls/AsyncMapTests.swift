import Rx
import RxBinding
import RxTestSupport
import Testing

/// Operators of the main actor with an asynchronous function, which may use what is the main actor's.
@Suite(.inTurn) @MainActor struct AsyncMapTests {
  @MainActor
  private final class Search {
    var begun: [String] = []
    var cancelled: [String] = []

    func results(of query: String) async -> String {
      begun.append(query)
      if query.isEmpty {
        try? await Task.sleep(for: .seconds(3600))
        cancelled.append(query)
      }
      return query.uppercased()
    }
  }

  private let search = Search()
  private let bag = DisposeBag()
  private let queries = PublishSubject<String>()

  @Test func aControlEventsClosureIsTheMainActors() async {
    var results: [String] = []
    ControlEvent(events: queries)
      .flatMapLatest { [search] query in await search.results(of: query) }
      .subscribe(onNext: { results.append($0) })
      .disposed(by: bag)
    queries.onNext("")
    #expect(await eventually { search.begun == [""] })
    queries.onNext("ulm")
    #expect(await eventually { results == ["ULM"] })
    #expect(await eventually { search.cancelled == [""] })
  }

  @Test func aDriversClosureIsTheMainActors() async {
    var results: [String] = []
    queries.asDriver(onErrorJustReturn: "")
      .flatMapLatest { [search] query in await search.results(of: query) }
      .drive(onNext: { results.append($0) })
      .disposed(by: bag)
    queries.onNext("ulm")
    #expect(await eventually { results == ["ULM"] })
  }

  @Test func aClosureThatDoesNotWaitTakesTheFormWithASequence() {
    var results: [Int] = []
    ControlEvent(events: queries)
      .flatMap { query in Observable.just(query.count) }
      .subscribe(onNext: { results.append($0) })
      .disposed(by: bag)
    queries.onNext("ulm")
    #expect(results == [3])
  }
}
