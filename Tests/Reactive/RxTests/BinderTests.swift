import Foundation
import RxTestSupport
import Synchronization
import Testing

@testable import Rx

/// Belongs to the main actor by declaration.
@MainActor
private final class Canvas: ReactiveCompatible {
  var text = ""
  var value = 0
  var seen: [Int] = []
}

extension Reactive where Base: Canvas {
  @MainActor fileprivate var settable: Int {
    get { base.value }
    nonmutating set { base.value = newValue }
  }
}

@Suite(.leavesNoResources, .inTurn) @MainActor struct BinderTests {
  private let canvas = Canvas()

  @Test func bindsPropertiesByName() {
    let before = Resources.total
    let bag = DisposeBag()
    Observable.just("b").bind(to: canvas.rx.text).disposed(by: bag)
    Observable.just(3).bind(to: canvas.rx.value).disposed(by: bag)
    #expect(canvas.text == "b")
    #expect(canvas.value == 3)
    canvas.rx.settable = 4
    #expect(canvas.rx.settable == 4)
    withExtendedLifetime(bag) { if LeavesNoResources.runsAlone { #expect(Resources.total > before) } }
  }

  @Test func fromAnotherThreadBindsOnTheMainQueueInOrder() async {
    let binder = Binder(canvas) { canvas, value in
      MainActor.assertIsolated()
      canvas.seen.append(value)
    }
    let thread = Thread {
      for i in 0..<100 { binder.onNext(i) }
      DispatchQueue.main.async { binder.onNext(100) }
    }
    thread.start()
    #expect(await eventually { canvas.seen.count == 101 })
    #expect(canvas.seen == Array(0...100))
  }

  @Test func anElementOnTheMainQueueWaitsForTheOnesBeforeIt() async {
    let binder = Binder(canvas) { $0.seen.append($1) }
    // The main thread is not given up: nothing may be bound meanwhile.
    onBackgroundQueue { binder.onNext(1) }
    binder.onNext(2)
    #expect(canvas.seen == [])
    #expect(await eventually { canvas.seen.count == 2 })
    #expect(canvas.seen == [1, 2])
  }

  @Test func reentrantElementIsBoundAfterwards() async {
    let box = Locked<Binder<Int>?>(nil)
    let binder = Binder(canvas) { canvas, value in
      canvas.seen.append(value)
      if value < 3 { box.withLock { $0 }?.onNext(value + 1) }
      canvas.seen.append(-value)
    }
    box.withLock { $0 = binder }
    binder.onNext(1)
    #expect(canvas.seen == [1, -1])
    #expect(await eventually { canvas.seen.count == 6 })
    #expect(canvas.seen == [1, -1, 2, -2, 3, -3])
    box.withLock { $0 = nil }
  }

  @Test func holdsTheTargetWeakly() {
    var canvas: Canvas? = Canvas()
    weak let held = canvas
    let calls = Atomic<Int>(0)
    let binder = canvas.map { Binder($0) { _, _ in calls.add(1, ordering: .relaxed) } as Binder<Int> }
    binder?.onNext(1)
    canvas = nil
    #expect(held == nil)
    binder?.onNext(2)
    binder?.onCompleted()
    #expect(calls.load(ordering: .relaxed) == 1)
  }

  @Test func aSchedulerOfItsOwnIsUsed() async {
    let seen = Recorder<Bool>()
    let scheduler = SerialDispatchQueueScheduler(internalSerialQueueName: "binder")
    let binder = Binder<Int>(canvas, scheduler: scheduler) { _, _ in seen.recordWhetherOnMain() }
    binder.onNext(1)
    #expect(await eventually { seen.values == [false] })
  }

  @Test func erasedBinderIsTheSameBinder() {
    let binder = Binder(canvas) { $0.value = $1 }
    binder.asObserver().mapObserver { (text: String) in text.count }.onNext("four")
    #expect(canvas.value == 4)
  }

  @Test func whatCountsAsTheMainQueue() async {
    #expect(MainQueue.isCurrent)
    let seen = Recorder<Bool>()
    DispatchQueue.main.async { seen.recordWhetherOnMain() }
    await Task { @MainActor in seen.recordWhetherOnMain() }.value
    #expect(await eventually { seen.values == [true, true] })
    let elsewhere = await Task.detached { MainQueue.isCurrent }.value
    #expect(!elsewhere)
  }
}
