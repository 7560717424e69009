import Rx
import RxTest
import RxTestSupport
import Testing
import TestSupport

@Suite struct GroupByTests {
  @Test func eachKeyHasASequence() throws {
    try expect("-a-b-A-B--|", "^---------!", becomes: "-w-x-y-z--|", values: values) { xs, _ in
      xs.groupBy { $0.lowercased() }.flatMap { group in group.map { "\(group.key)\($0)" } }
    }
  }

  private struct Alike: Hashable, Sendable {
    let value: Int
    func hash(into hasher: inout Hasher) {}
  }

  @Test func keysOfOneHashHaveTheirOwnSequences() {
    let groups = Recorder<Int>()
    let subscription = Observable.from([1, 2, 1, 3]).groupBy { Alike(value: $0) }.subscribe(onNext: {
      groups.record($0.key.value)
    })
    #expect(groups.values == [1, 2, 3])
    subscription.dispose()
  }

  private let values: [Character: String] = ["w": "aa", "x": "bb", "y": "aA", "z": "bB"]

  @Test func allGroupsEndWithTheSource() {
    for end in ["completed", "error(first)"] {
      let source = PublishSubject<Int>()
      let log = Recorder<String>()
      let bag = DisposeBag()
      source.groupBy { $0 % 2 }.subscribe(
        onNext: { group in log.subscribe(to: group.asObservable(), as: "\(group.key): ").disposed(by: bag) },
        onError: { log.record("error(\($0))") }, onCompleted: { log.record("completed") }
      ).disposed(by: bag)
      source.onNext(1)
      source.onNext(2)
      if end == "completed" { source.onCompleted() } else { source.onError(TestError.first) }
      #expect(log.values.prefix(2) == ["1: 1", "0: 2"])
      #expect(log.values.last == end)
      #expect(
        Set(log.values.dropFirst(2).dropLast()) == ["1: \(end)", "1: disposed", "0: \(end)", "0: disposed"])
      #expect(!source.hasObservers)
    }
  }

  @Test func whatTheKeySelectorThrowsEndsAll() {
    let log = Recorder<String>()
    let bag = DisposeBag()
    let source = PublishSubject<Int>()
    source.groupBy { element -> Int in
      if element < 0 { throw TestError.second }
      return 0
    }.subscribe(
      onNext: { log.subscribe(to: $0.asObservable(), as: "group ").disposed(by: bag) },
      onError: { log.record("\($0)") }
    ).disposed(by: bag)
    source.onNext(1)
    source.onNext(-1)
    #expect(log.values == ["group 1", "group error(second)", "group disposed", "second"])
    #expect(!source.hasObservers)
  }

  @Test func aGroupGoesOnWithoutTheOthers() {
    let log = Recorder<String>()
    let groups = CompositeDisposable()
    let source = PublishSubject<Int>()
    let subscription = source.groupBy { $0 % 2 }.subscribe(
      onNext: { _ = groups.insert(log.subscribe(to: $0.asObservable(), as: "\($0.key): ")) })
    source.onNext(1)
    subscription.dispose()
    source.onNext(3)
    // A new group that nobody is sent.
    source.onNext(2)
    #expect(log.values == ["1: 1", "1: 3"])
    #expect(source.hasObservers)
    groups.dispose()
    #expect(!source.hasObservers)
  }

  @Test func withoutSubscribedGroupsDisposalEndsTheSource() {
    let source = PublishSubject<Int>()
    let subscription = source.groupBy { $0 }.subscribe()
    source.onNext(1)
    subscription.dispose()
    #expect(!source.hasObservers)
  }

  @Test func aGroupThatIsSubscribedToLateGetsOnlyTheEnd() {
    let held = Recorder<GroupedObservable<Int, Int>>()
    let source = PublishSubject<Int>()
    let subscription = source.groupBy { _ in 0 }.subscribe(onNext: { held.record($0) })
    source.onNext(1)
    source.onCompleted()
    #expect(log(held.values[0].asObservable()) == ["completed", "disposed"])
    subscription.dispose()
  }

  @Test func disposalWhileAGroupIsBeingSentIsHeard() {
    #expect(log(Observable.of(1, 2, 3).groupBy { $0 }.take(1).map(\.key)) == ["1", "completed", "disposed"])
    #expect(
      log(Observable.of(1, 2, 3).groupBy { _ in 0 }.take(1).flatMap { $0 }) == ["1", "2", "3", "completed", "disposed"])
  }
}
