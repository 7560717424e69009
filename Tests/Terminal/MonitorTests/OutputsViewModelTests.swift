import Rx
import RxBinding
import RxTest
import TestSupport
import Testing

@testable import Monitor

@MainActor @Suite(.inTurn) struct OutputsViewModelTests {
  private static let page = """
    # HELP rxlocationd_records_total Records that were written.
    # TYPE rxlocationd_records_total counter
    rxlocationd_records_total{output="standard output"} 704
    rxlocationd_records_total{output="region log"} 12
    rxlocationd_dropped_records_total{output="standard output"} 0
    rxlocationd_dropped_records_total{output="region log"} 1
    rxlocationd_journal_rows_total 710
    rxlocationd_publish_connected 0
    rxlocationd_publish_queue_rows 8
    rxlocationd_publish_acknowledged_total 702
    a line that is none

    """

  @Test func outputsAreReadFromMetrics() {
    #expect(
      OutputsViewModel.outputs(in: Self.page) == [
        OutputItem(name: "standard output", text: "704 records"),
        OutputItem(name: "region log", text: "12 records, 1 lost", hasLosses: true),
        OutputItem(name: "journal", text: "710 rows"),
        OutputItem(name: "broker", text: "702 delivered, 8 waiting", hasLosses: true),
      ])
    #expect(OutputsViewModel.outputs(in: "rxlocationd_journal_rows_total 1").map(\.text) == ["1 row"])
    #expect(OutputsViewModel.outputs(in: "").isEmpty)
  }

  @Test func eachOfSeveralThatArePublishedToIsOne() {
    let page = ["broker", "server"].enumerated().map { number, name in
      """
      rxlocationd_publish_connected{output="\(name)"} \(number)
      rxlocationd_publish_queue_rows{output="\(name)"} \(number + 1)
      rxlocationd_publish_acknowledged_total{output="\(name)"} \(number + 10)

      """
    }
    #expect(
      OutputsViewModel.outputs(in: page.joined()) == [
        OutputItem(name: "broker", text: "10 delivered, 1 waiting", hasLosses: true),
        OutputItem(name: "server", text: "11 delivered, 2 waiting"),
      ])
  }

  @Test func aPageIsReadEveryTwoSecondsAndAFailureSaidOnce() {
    let scheduler = TestScheduler(initialClock: 0)
    let bag = DisposeBag()
    let answers = BehaviorRelay<[String?]>(value: [Self.page, nil, nil, ""])
    let page: @Sendable () -> Single<String> = {
      .deferred {
        let answer = answers.value[0]
        answers.accept(Array(answers.value.dropFirst()))
        return answer.map { .just($0) } ?? .error(Refusal())
      }
    }
    let output = OutputsViewModel(page: page, scheduler: scheduler).transform()
    let notices = scheduler.createObserver(String.self)
    let outputs = scheduler.createObserver(Int.self)
    output.notice.map(\.1).subscribe(notices).disposed(by: bag)
    output.outputs.map(\.count).drive(outputs).disposed(by: bag)
    scheduler.advanceTo(8)
    #expect(
      notices.events == [
        .next(1, "the daemon's metrics are read"), .next(3, "no metrics of the daemon: refused"),
        .next(7, "the daemon's metrics are read"),
      ])
    #expect(outputs.events == [.next(1, 4), .next(3, 1), .next(7, 0)])
  }

  private struct Refusal: Error, CustomStringConvertible {
    var description: String { "refused" }
  }
}
