import Rx
import RxTest
import RxTestSupport
import Testing

@Suite(.inTurn) struct GroupByTests {
  private let source = PublishSubject<Int>()
  private let log = Recorder<String>()
  private let groups = CompositeDisposable()

  /// Records the events of each group with its key, and the end of the whole.
  private func record(_ grouped: Observable<GroupedObservable<Int, Int>>) -> any Disposable {
    grouped.subscribe(
      onNext: { [log, groups] in _ = groups.insert(log.subscribe(to: $0.asObservable(), as: "\($0.key): ")) },
      onError: { [log] in log.record("error(\($0))") }, onCompleted: { [log] in log.record("completed") })
  }

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
    _ = Observable.from([1, 2, 1, 3]).groupBy { Alike(value: $0) }.subscribe(onNext: { groups.record($0.key.value) })
    #expect(groups.values == [1, 2, 3])
  }

  private let values: [Character: String] = ["w": "aa", "x": "bb", "y": "aA", "z": "bB"]

  @Test(arguments: [Event<Int>.completed, .error(TestError.first)]) func allGroupsEndWithTheSource(end: Event<Int>) {
    _ = record(source.groupBy { $0 % 2 })
    source.onNext(1)
    source.onNext(2)
    source.on(end)
    #expect(log.values.prefix(2) == ["1: 1", "0: 2"])
    #expect(log.values.last == "\(end)")
    #expect(
      log.values.dropFirst(2).dropLast().sorted() == ["0: \(end)", "0: disposed", "1: \(end)", "1: disposed"].sorted())
    #expect(!source.hasObservers)
  }

  @Test func whatTheKeySelectorThrowsEndsAll() {
    _ = record(
      source.groupBy { element in
        if element < 0 { throw TestError.second }
        return 0
      })
    source.onNext(1)
    source.onNext(-1)
    #expect(log.values == ["0: 1", "0: error(second)", "0: disposed", "error(second)"])
    #expect(!source.hasObservers)
  }

  @Test func aGroupGoesOnWithoutTheOthers() {
    let subscription = record(source.groupBy { $0 % 2 })
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
    let subscription = source.groupBy { $0 }.subscribe()
    source.onNext(1)
    subscription.dispose()
    #expect(!source.hasObservers)
  }

  @Test func aGroupThatIsSubscribedToLateGetsOnlyTheEnd() {
    let held = Recorder<GroupedObservable<Int, Int>>()
    _ = source.groupBy { _ in 0 }.subscribe(onNext: { held.record($0) })
    source.onNext(1)
    source.onCompleted()
    #expect(RxTests.log(held.values[0].asObservable()) == ["completed", "disposed"])
  }

  @Test func disposalWhileAGroupIsBeingSentIsHeard() {
    #expect(RxTests.log(Observable.of(1, 2, 3).groupBy { $0 }.take(1).map(\.key)) == ["1", "completed", "disposed"])
    #expect(
      RxTests.log(Observable.of(1, 2, 3).groupBy { _ in 0 }.take(1).flatMap { $0 }) == [
        "1", "2", "3", "completed", "disposed",
      ])
  }
}
