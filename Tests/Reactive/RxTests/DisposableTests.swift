import RxTest
import RxTestSupport
import Testing

@testable import Rx

@Suite(.leavesNoResources, .inTurn) struct DisposableTests {
  private let recorder = Recorder<String>()

  private func note(_ name: String) -> any Cancelable { Disposables.create { [recorder] in recorder.record(name) } }

  @Test func theClosureRunsOnce() {
    let disposable = note("a")
    #expect(!disposable.isDisposed)
    disposable.dispose()
    disposable.dispose()
    #expect(disposable.isDisposed)
    #expect(recorder.values == ["a"])
    Disposables.create().dispose()
  }

  @Test func groupsDisposeOfTheirMembersInOrder() {
    let groups: [any Cancelable] = [
      Disposables.create(note("1"), note("2")),
      Disposables.create(note("1"), note("2"), note("3")),
      Disposables.create(note("1"), note("2"), note("3"), note("4"), note("5")),
      Disposables.create([note("1")]),
      CompositeDisposable(note("1"), note("2")),
      CompositeDisposable(note("1"), note("2"), note("3")),
      CompositeDisposable(note("1"), note("2"), note("3"), note("4"), note("5")),
      CompositeDisposable(disposables: [note("1")]),
    ]
    for group in groups {
      #expect(!group.isDisposed)
      group.dispose()
      group.dispose()
      #expect(group.isDisposed)
    }
    #expect(recorder.values.joined() == "12123123451" + "12123123451")
  }

  @Test func removalAndLateInsertionDisposeAtOnce() throws {
    let composite = CompositeDisposable()
    let a = try #require(composite.insert(note("a")))
    _ = composite.insert(note("b"))
    #expect(composite.count == 2)
    composite.remove(for: a)
    composite.remove(for: a)
    #expect(recorder.values == ["a"])
    composite.dispose()
    #expect(composite.count == 0)
    #expect(composite.insert(note("late")) == nil)
    composite.remove(for: a)
    #expect(recorder.values == ["a", "b", "late"])
  }

  @Test func aSingleAssignmentMayComeLate() {
    let early = SingleAssignmentDisposable()
    early.dispose()
    early.setDisposable(note("early"))
    let late = SingleAssignmentDisposable()
    late.setDisposable(note("late"))
    #expect(!late.isDisposed)
    late.dispose()
    late.dispose()
    #expect(late.isDisposed)
    #expect(recorder.values == ["early", "late"])
  }

  @Test func aSerialDisposableDisposesOfItsPredecessor() {
    let serial = SerialDisposable()
    serial.disposable.dispose()
    serial.disposable = note("a")
    serial.disposable = note("b")
    #expect(recorder.values == ["a"])
    serial.dispose()
    #expect(serial.isDisposed)
    serial.disposable = note("c")
    #expect(recorder.values == ["a", "b", "c"])
  }

  @Test func theContentGoesWithTheLastReference() {
    let refCount = RefCountDisposable(disposable: note("content"))
    let first = refCount.retain()
    let second = refCount.retain()
    first.dispose()
    first.dispose()
    refCount.dispose()
    #expect(!refCount.isDisposed)
    #expect(recorder.values == [])
    second.dispose()
    #expect(refCount.isDisposed)
    refCount.retain().dispose()
    refCount.dispose()
    #expect(recorder.values == ["content"])
  }

  @Test func aScheduledDisposalWaitsForItsScheduler() {
    let time = HistoricalScheduler()
    let scheduled = ScheduledDisposable(scheduler: time, disposable: note("a"))
    scheduled.dispose()
    #expect(!scheduled.isDisposed)
    #expect(recorder.values == [])
    time.start()
    #expect(scheduled.isDisposed)
    scheduled.dispose()
    time.start()
    #expect(recorder.values == ["a"])
  }

  @Test func aBooleanDisposableKnowsWhetherItIsDisposed() {
    let disposable = BooleanDisposable()
    #expect(!disposable.isDisposed)
    disposable.dispose()
    #expect(disposable.isDisposed)
    #expect(BooleanDisposable(isDisposed: true).isDisposed)
  }

  @Test func aBagDisposesWhenItGoesAway() {
    var bag: DisposeBag? = DisposeBag()
    bag?.insert(note("1"))
    bag?.insert(note("2"), note("3"))
    bag?.insert([note("4")])
    bag?.insert {
      note("5")
      note("6")
    }
    if let bag { note("7").disposed(by: bag) }
    #expect(recorder.values == [])
    bag = nil
    #expect(recorder.values == ["1", "2", "3", "4", "5", "6", "7"])
  }

  @Test func aBagMadeOfDisposablesDisposesOfThem() {
    do {
      _ = DisposeBag(disposing: note("1"), note("2"))
      _ = DisposeBag(disposing: [note("3")])
      _ = DisposeBag {
        note("4")
        note("5")
      }
    }
    #expect(recorder.values == ["1", "2", "3", "4", "5"])
  }

  // Whichever of the two comes first, the content is disposed, and once.
  @Test func setAndDisposeAtTheSameTimeDisposeOnce() {
    let count = Locked(0)
    DispatchQueue.concurrentPerform(iterations: 2000) { _ in
      let single = SingleAssignmentDisposable()
      let content = Disposables.create { count.withLock { $0 += 1 } }
      let done = DispatchGroup()
      DispatchQueue.global().async(group: done) { single.dispose() }
      single.setDisposable(content)
      done.wait()
    }
    #expect(count.withLock { $0 } == 2000)
  }
}
