import Rx
import RxTest
import RxTestSupport
import Testing

@Suite(.inTurn) struct AmbTests {
  @Test func theFirstEventDecides() throws {
    try expect("--a-b-|", "^-----!", "---x-y", "^-!", becomes: "--a-b-|") { $0.amb($1) }
    try expect("--a-b-|", "^!", "-x--y|", "^----!", becomes: "-x--y|") { $0.amb($1) }
    try expect("--a-b-|", "^!", "-|", "^!", becomes: "-|") { $0.amb($1) }
    try expect("--a-b-|", "^!", "-#", "^!", becomes: "-#") { $0.amb($1) }
    try expect("--a-#--", "^---!", "---x-y", "^-!", becomes: "--a-#") { $0.amb($1) }
    try expect("-------", "^--!", "-------", "^--!", becomes: "", disposed: 3) { $0.amb($1) }
  }

  @Test func whatComesAtOnceWinsBeforeTheOthersAreSubscribedTo() {
    let subscribed = Recorder<Int>()
    let other = Observable.just(2).do(onSubscribe: { subscribed.record(2) })
    #expect(log(Observable.amb([.just(1), other])) == ["1", "completed", "disposed"])
    #expect(subscribed.values == [])
  }

  @Test func ofMany() {
    let subjects = (0..<3).map { _ in PublishSubject<Int>() }
    let log = Recorder<String>()
    let subscription = log.subscribe(to: .amb(subjects.map { $0.asObservable() }))
    subjects[2].onNext(2)
    #expect(!subjects[0].hasObservers && !subjects[1].hasObservers)
    subjects[0].onNext(0)
    subjects[2].onNext(3)
    subscription.dispose()
    #expect(!subjects[2].hasObservers)
    #expect(log.values == ["2", "3", "disposed"])
  }

  @Test func ofNone() {
    #expect(log(Observable<Int>.amb([])) == ["disposed"])
  }
}
