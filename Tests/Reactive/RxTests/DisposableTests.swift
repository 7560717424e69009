import Foundation
import RxTest
import RxTestSupport
import XCTest

@testable import Rx

final class DisposableTests: RxTestCase {
  private let recorder = Recorder<String>()

  private func note(_ name: String) -> any Cancelable {
    Disposables.create { [recorder] in recorder.record(name) }
  }

  func testClosureRunsOnce() {
    let disposable = note("a")
    XCTAssertFalse(disposable.isDisposed)
    disposable.dispose()
    disposable.dispose()
    XCTAssertTrue(disposable.isDisposed)
    XCTAssertEqual(recorder.values, ["a"])
    Disposables.create().dispose()
  }

  func testGroups() {
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
      XCTAssertFalse(group.isDisposed)
      group.dispose()
      group.dispose()
      XCTAssertTrue(group.isDisposed)
    }
    XCTAssertEqual(recorder.values.joined(), "12123123451" + "12123123451")
  }

  func testCompositeInsertAndRemove() throws {
    let composite = CompositeDisposable()
    let a = try XCTUnwrap(composite.insert(note("a")))
    _ = composite.insert(note("b"))
    XCTAssertEqual(composite.count, 2)
    composite.remove(for: a)
    composite.remove(for: a)
    XCTAssertEqual(recorder.values, ["a"])
    composite.dispose()
    XCTAssertEqual(composite.count, 0)
    XCTAssertNil(composite.insert(note("late")))
    composite.remove(for: a)
    XCTAssertEqual(recorder.values, ["a", "b", "late"])
  }

  func testSingleAssignment() {
    let early = SingleAssignmentDisposable()
    early.dispose()
    early.setDisposable(note("early"))
    let late = SingleAssignmentDisposable()
    late.setDisposable(note("late"))
    XCTAssertFalse(late.isDisposed)
    late.dispose()
    late.dispose()
    XCTAssertTrue(late.isDisposed)
    XCTAssertEqual(recorder.values, ["early", "late"])
  }

  func testSerial() {
    let serial = SerialDisposable()
    serial.disposable.dispose()
    serial.disposable = note("a")
    serial.disposable = note("b")
    XCTAssertEqual(recorder.values, ["a"])
    serial.dispose()
    XCTAssertTrue(serial.isDisposed)
    serial.disposable = note("c")
    XCTAssertEqual(recorder.values, ["a", "b", "c"])
  }

  func testRefCount() {
    let refCount = RefCountDisposable(disposable: note("content"))
    let first = refCount.retain()
    let second = refCount.retain()
    first.dispose()
    first.dispose()
    refCount.dispose()
    XCTAssertFalse(refCount.isDisposed)
    XCTAssertEqual(recorder.values, [])
    second.dispose()
    XCTAssertTrue(refCount.isDisposed)
    refCount.retain().dispose()
    refCount.dispose()
    XCTAssertEqual(recorder.values, ["content"])
  }

  func testScheduled() {
    let time = HistoricalScheduler()
    let scheduled = ScheduledDisposable(scheduler: time, disposable: note("a"))
    scheduled.dispose()
    XCTAssertFalse(scheduled.isDisposed)
    XCTAssertEqual(recorder.values, [])
    time.start()
    XCTAssertTrue(scheduled.isDisposed)
    scheduled.dispose()
    time.start()
    XCTAssertEqual(recorder.values, ["a"])
  }

  func testBoolean() {
    let disposable = BooleanDisposable()
    XCTAssertFalse(disposable.isDisposed)
    disposable.dispose()
    XCTAssertTrue(disposable.isDisposed)
    XCTAssertTrue(BooleanDisposable(isDisposed: true).isDisposed)
  }

  func testBagDisposesWhenItGoesAway() {
    var bag: DisposeBag? = DisposeBag()
    bag?.insert(note("1"))
    bag?.insert(note("2"), note("3"))
    bag?.insert([note("4")])
    bag?.insert {
      note("5")
      note("6")
    }
    if let bag { note("7").disposed(by: bag) }
    XCTAssertEqual(recorder.values, [])
    bag = nil
    XCTAssertEqual(recorder.values, ["1", "2", "3", "4", "5", "6", "7"])
  }

  func testBagInitialisers() {
    do {
      _ = DisposeBag(disposing: note("1"), note("2"))
      _ = DisposeBag(disposing: [note("3")])
      _ = DisposeBag {
        note("4")
        note("5")
      }
    }
    XCTAssertEqual(recorder.values, ["1", "2", "3", "4", "5"])
  }

  // Whichever of the two comes first, the content is disposed, and once.
  func testSetAndDisposeAtTheSameTime() {
    let count = Locked(0)
    DispatchQueue.concurrentPerform(iterations: 2000) { index in
      let single = SingleAssignmentDisposable()
      let content = Disposables.create { count.withLock { $0 += 1 } }
      let done = DispatchGroup()
      DispatchQueue.global().async(group: done) { single.dispose() }
      single.setDisposable(content)
      done.wait()
      XCTAssertTrue(content.isDisposed)
    }
    XCTAssertEqual(count.withLock { $0 }, 2000)
  }
}
