import Foundation
import RxTestSupport
import Synchronization
import TestSupport
import XCTest

@testable import Rx

/// Belongs to the main actor by declaration.
@MainActor
private final class Label {
  var text = ""
  nonisolated init() {}
}

@MainActor
private final class Canvas {
  var value = 0
  var seen: [Int] = []
}

extension Label: ReactiveCompatible {}
extension Canvas: ReactiveCompatible {}

extension Reactive where Base: Canvas {
  @MainActor fileprivate var settable: Int {
    get { base.value }
    nonmutating set { base.value = newValue }
  }
}

@MainActor
final class BinderTests: RxTestCase {
  func testBindsAtOnceOnTheMainQueue() {
    let label = Label()
    let binder = Binder(label) { label, text in
      MainActor.assertIsolated()
      label.text = text
    }
    binder.onNext("a")
    XCTAssertEqual(label.text, "a")
  }

  func testBindsPropertiesByName() {
    let label = Label()
    let canvas = Canvas()
    let before = Resources.total
    let bag = DisposeBag()
    Observable.just("b").bind(to: label.rx.text).disposed(by: bag)
    Observable.just(3).bind(to: canvas.rx.value).disposed(by: bag)
    XCTAssertEqual(label.text, "b")
    XCTAssertEqual(canvas.value, 3)
    canvas.rx.settable = 4
    XCTAssertEqual(canvas.rx.settable, 4)
    withExtendedLifetime(bag) { XCTAssertGreaterThan(Resources.total, before) }
  }

  func testFromAnotherThreadBindsOnTheMainQueueInOrder() async {
    let canvas = Canvas()
    let binder = Binder(canvas) { canvas, value in
      MainActor.assertIsolated()
      canvas.seen.append(value)
    }
    let thread = Thread {
      for i in 0..<100 { binder.onNext(i) }
      DispatchQueue.main.async { binder.onNext(100) }
    }
    thread.start()
    let isDone1 = await TestSupport.eventually { canvas.seen.count == 101 }
    XCTAssertTrue(isDone1)
    XCTAssertEqual(canvas.seen, Array(0...100))
  }

  func testAnElementOnTheMainQueueWaitsForTheOnesBeforeIt() async {
    let canvas = Canvas()
    let binder = Binder(canvas) { $0.seen.append($1) }
    // The main thread is not given up: nothing may be bound meanwhile.
    onBackgroundQueue { binder.onNext(1) }
    binder.onNext(2)
    XCTAssertEqual(canvas.seen, [])
    let isDone2 = await TestSupport.eventually { canvas.seen.count == 2 }
    XCTAssertTrue(isDone2)
    XCTAssertEqual(canvas.seen, [1, 2])
  }

  func testReentrantElementIsBoundAfterwards() async {
    let canvas = Canvas()
    let box = Locked<Binder<Int>?>(nil)
    let binder = Binder(canvas) { canvas, value in
      canvas.seen.append(value)
      if value < 3 { box.withLock { $0 }?.onNext(value + 1) }
      canvas.seen.append(-value)
    }
    box.withLock { $0 = binder }
    binder.onNext(1)
    XCTAssertEqual(canvas.seen, [1, -1])
    let isDone3 = await TestSupport.eventually { canvas.seen.count == 6 }
    XCTAssertTrue(isDone3)
    XCTAssertEqual(canvas.seen, [1, -1, 2, -2, 3, -3])
    box.withLock { $0 = nil }
  }

  func testHoldsTheTargetWeakly() {
    var label: Label? = Label()
    weak let held = label
    let calls = Atomic<Int>(0)
    let binder = label.map { Binder($0) { _, _ in calls.add(1, ordering: .relaxed) } as Binder<Int> }
    binder?.onNext(1)
    label = nil
    XCTAssertNil(held)
    binder?.onNext(2)
    binder?.onCompleted()
    XCTAssertEqual(calls.load(ordering: .relaxed), 1)
  }

  func testSchedulerOfItsOwn() async {
    let label = Label()
    let seen = Locked<[Bool]>([])
    let scheduler = SerialDispatchQueueScheduler(internalSerialQueueName: "binder")
    let binder = Binder<Int>(label, scheduler: scheduler) { _, _ in
      seen.withLock { $0.append(MainQueue.isCurrent) }
    }
    binder.onNext(1)
    let isDone4 = await TestSupport.eventually { !seen.withLock { $0.isEmpty } }
    XCTAssertTrue(isDone4)
    XCTAssertEqual(seen.withLock { $0 }, [false])
  }

  func testErasedBinderIsTheSameBinder() {
    let canvas = Canvas()
    let binder = Binder(canvas) { $0.value = $1 }
    binder.asObserver().mapObserver { (text: String) in text.count }.onNext("four")
    XCTAssertEqual(canvas.value, 4)
  }

  // A block on the main queue, a task on the main actor, and the test's own thread all count as the main queue.
  func testWhatCountsAsTheMainQueue() async {
    XCTAssertTrue(MainQueue.isCurrent)
    let seen = Locked<[Bool]>([])
    let target = Label()
    let binder = Binder(target) { _, value in
      MainActor.assertIsolated()
      seen.withLock { $0.append(value) }
    }
    DispatchQueue.main.async { binder.onNext(MainQueue.isCurrent) }
    let task = Task { @MainActor in binder.onNext(MainQueue.isCurrent) }
    await task.value
    let isDone5 = await TestSupport.eventually { seen.withLock { $0.count } == 2 }
    XCTAssertTrue(isDone5)
    withExtendedLifetime(target) { XCTAssertEqual(seen.withLock { $0 }, [true, true]) }
    let elsewhere = await Task.detached { MainQueue.isCurrent }.value
    XCTAssertFalse(elsewhere)
  }
}
