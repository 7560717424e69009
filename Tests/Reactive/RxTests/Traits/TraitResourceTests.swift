import Dispatch
import Rx
import RxTestSupport
import Testing

/// What the traits and the newer operators make is gone afterwards; `leavesNoResources` counts.
@Suite(.leavesNoResources) @MainActor struct TraitResourceTests {
  private struct Case {
    let name: String
    let apply: (Observable<Int>) -> Observable<Int>
  }

  private let cases: [Case] = [
    Case(name: "single") { $0.asSingle().map { $0 + 1 }.flatMap { .just($0) }.asObservable() },
    Case(name: "maybe") { $0.asMaybe().filter { $0 > 0 }.ifEmpty(default: 3).asObservable() },
    Case(name: "completable") {
      $0.ignoreElements().asCompletable().andThen(Completable.zip(.empty(), .empty())).andThen(.just(1))
    },
    Case(name: "infallible") { $0.asInfallible(onErrorJustReturn: 1).map { $0 + 1 }.share().asObservable() },
    Case(name: "groupBy") { $0.groupBy { $0 % 2 }.flatMap { $0 } },
    Case(name: "window") {
      $0.window(timeSpan: .seconds(3600), count: 2, scheduler: MainScheduler.instance).flatMap { $0 }
    },
    Case(name: "amb") { $0.amb(Observable.never()) },
    Case(name: "materialize") { $0.materialize().dematerialize() },
    Case(name: "using") { source in .using({ CompositeDisposable() }, observableFactory: { _ in source }) },
    Case(name: "delaySubscription") { $0.delaySubscription(.seconds(3600), scheduler: MainScheduler.instance) },
    Case(name: "range") { .range(start: 1, count: 5).concat($0) },
    Case(name: "generate") { .generate(initialState: 1, condition: { $0 < 5 }, iterate: { $0 + 1 }).concat($0) },
  ]

  @Test func traitsLeaveNoResources() {
    for each in cases { run(each) }
    let last = AsyncSubject<Int>()
    last.subscribe { _ in }.dispose()
    last.onNext(1)
  }

  private func run(_ each: Case) {
    let subject = PublishSubject<Int>()
    each.apply(.of(1, 2, 3)).subscribe { _ in }.dispose()
    let subscription = each.apply(subject.asObservable()).subscribe { _ in }
    subject.onNext(1)
    subject.onNext(2)
    subscription.dispose()
    #expect(!subject.hasObservers, "\(each.name)")
  }
}
