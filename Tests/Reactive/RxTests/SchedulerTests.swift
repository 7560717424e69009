import Foundation
import RxTest
import RxTestSupport
import Testing

@testable import Rx

@Suite(.leavesNoResources, .inTurn) @MainActor struct SchedulerTests {
  private let time = HistoricalScheduler()
  private let recorder = Recorder<String>()

  @Test func currentThreadRunsNestedActionsAfterwards() {
    #expect(CurrentThreadScheduler.isScheduleRequired)
    CurrentThreadScheduler.instance.perform(1) { state in
      #expect(!CurrentThreadScheduler.isScheduleRequired)
      recorder.record("\(state)")
      for inner in 2...3 {
        CurrentThreadScheduler.instance.perform(inner) { state in
          recorder.record("\(state)")
          CurrentThreadScheduler.instance.perform(state * 10) { state in recorder.record("\(state)") }
        }
      }
      let cancelled = CurrentThreadScheduler.instance.perform(4) { _ in recorder.record("never") }
      cancelled.dispose()
      recorder.record("1 done")
    }
    #expect(CurrentThreadScheduler.isScheduleRequired)
    #expect(recorder.values == ["1", "1 done", "2", "3", "20", "30"])
  }

  @Test func theTrampolineDoesNotGrow() {
    let count = Locked(0)
    _ = CurrentThreadScheduler.instance.scheduleRecursive(0) { state, recurse in
      count.withLock { $0 += 1 }
      if state < 10_000 { recurse(state + 1) }
    }
    #expect(count.withLock { $0 } == 10_001)
  }

  @Test func virtualTimeRunsInOrderOfTime() {
    for (name, delay) in [("c", 3), ("a", 1), ("b", 2), ("a2", 1)] {
      time.perform(name, after: .seconds(delay)) { name in
        recorder.record("\(name)@\(Int(time.clock.timeIntervalSince1970))")
      }
    }
    time.perform((), after: .seconds(2)) { _ in recorder.record("never") }.dispose()
    time.advanceTo(Date(timeIntervalSince1970: 2))
    #expect(recorder.values == ["a@1", "a2@1", "b@2"])
    #expect(time.now == Date(timeIntervalSince1970: 2))
    time.sleep(5)
    time.start()
    #expect(recorder.values == ["a@1", "a2@1", "b@2", "c@7"])
  }

  @Test func virtualTimeStopsAndGoesOn() {
    for second in 1...3 {
      _ = time.scheduleAbsoluteVirtual(second, time: Date(timeIntervalSince1970: Double(second))) { second in
        recorder.record("\(second)")
        if second == 2 { time.stop() }
        return Disposables.create()
      }
    }
    time.start()
    #expect(recorder.values == ["1", "2"])
    #expect(!time.debugDescription.isEmpty)
    time.start()
    #expect(recorder.values == ["1", "2", "3"])
  }

  @Test func periodicRecursionKeepsItsPace() {
    let periodic = time.schedulePeriodic(0, startAfter: .seconds(10), period: .seconds(5)) { state in
      recorder.record("\(state)@\(Int(time.clock.timeIntervalSince1970))")
      return state + 1
    }
    time.advanceTo(Date(timeIntervalSince1970: 22))
    periodic.dispose()
    time.advanceTo(Date(timeIntervalSince1970: 100))
    #expect(recorder.values == ["0@10", "1@15", "2@20"])
  }

  @Test func recursionWithDelaysEndsWhenDisposed() {
    let subscription = time.scheduleRecursive(1, dueTime: .seconds(1)) { state, scheduler in
      recorder.record("\(state)")
      if state == 1 { scheduler.schedule(2) } else { scheduler.schedule(state + 1, dueTime: .seconds(1)) }
    }
    time.advanceTo(Date(timeIntervalSince1970: 3))
    subscription.dispose()
    time.start()
    #expect(recorder.values == ["1", "2", "3", "4"])
  }

  @Test func dispatchQueuesRunNowLaterAndPeriodically() async {
    let queue = DispatchQueue(label: "target")
    let schedulers: [any SchedulerType] = [
      SerialDispatchQueueScheduler(internalSerialQueueName: "a"),
      SerialDispatchQueueScheduler(queue: queue, internalSerialQueueName: "b"),
      SerialDispatchQueueScheduler(qos: .utility),
      ConcurrentDispatchQueueScheduler(queue: queue),
      ConcurrentDispatchQueueScheduler(qos: .default),
    ]
    for scheduler in schedulers {
      let ticks = Recorder<Int>()
      #expect(abs(scheduler.now.timeIntervalSinceNow) < 60)
      scheduler.perform(1) { state in ticks.record(state) }
      #expect(await eventually { ticks.values == [1] })
      scheduler.perform(2, after: .milliseconds(1)) { state in ticks.record(state) }
      #expect(await eventually { ticks.values == [1, 2] })
      let cancelled = scheduler.perform(0, after: .seconds(3600)) { state in ticks.record(state) }
      cancelled.dispose()
      let periodic = scheduler.schedulePeriodic(3, startAfter: .milliseconds(1), period: .milliseconds(1)) { state in
        if ticks.values.count < 5 { ticks.record(state) }
        return state + 1
      }
      #expect(await eventually { ticks.values == [1, 2, 3, 4, 5] })
      periodic.dispose()
    }
  }

  @Test func ticksThatWereMissedAreDroppedAfterDisposal() {
    let isDisposed = Locked(false)
    let ticks = Recorder<Int>()
    let periodic = Locked<PeriodicAction<Int>?>(nil)
    let tick: @Sendable () -> Void = {
      let action = periodic.withLock { $0 }
      action?.tick { isDisposed.withLock { $0 } }
    }
    let action = PeriodicAction(0) { count in
      ticks.record(count)
      // The timer fires again while this tick still runs, and then it is disposed of.
      tick()
      if count == 1 { isDisposed.withLock { $0 = true } }
      return count + 1
    }
    periodic.withLock { $0 = action }
    tick()
    periodic.withLock { $0 = nil }
    #expect(ticks.values == [0, 1])
  }

  @Test func aTimerThatWasDisposedOfLetsGoOfItsQueue() async {
    let key = DispatchSpecificKey<Captured>()
    weak var attached: Captured?
    do {
      let object = Captured()
      attached = object
      let queue = DispatchQueue(label: "timers")
      queue.setSpecific(key: key, value: object)
      let scheduler = SerialDispatchQueueScheduler(queue: queue, internalSerialQueueName: "timers.serial")
      scheduler.schedulePeriodic(0, startAfter: .seconds(3600), period: .seconds(3600)) { $0 + 1 }.dispose()
      scheduler.scheduleRelative((), dueTime: .seconds(3600)) { _ in Disposables.create() }.dispose()
    }
    #expect(await eventually { attached == nil })
  }

  @Test func aSerialSchedulerIsSerial() async {
    let scheduler = SerialDispatchQueueScheduler(queue: .global(), internalSerialQueueName: "serial")
    let seen = Recorder<Int>()
    for i in 0..<200 {
      scheduler.perform(i) { i in seen.record(i) }
    }
    #expect(await eventually { seen.values.count == 200 })
    #expect(seen.values == Array(0..<200))
  }
}

@Suite(.leavesNoResources, .inTurn) @MainActor struct MainSchedulerTests {
  private let recorder = Recorder<String>()

  @Test func runsAtOnceOnlyWhenNothingWaits() async {
    // Not `instance`: actions of other tests may wait there.
    let scheduler = MainScheduler()
    scheduler.perform(()) { _ in
      recorder.record("1")
      scheduler.perform(()) { _ in recorder.record("3") }
      recorder.record("2")
    }
    scheduler.perform(()) { _ in recorder.record("4") }
    #expect(recorder.values == ["1", "2"])
    #expect(await eventually { recorder.values.count == 4 })
    #expect(recorder.values == ["1", "2", "3", "4"])
  }

  @Test func aCancelledActionDoesNotRun() async {
    let cancelled = MainScheduler.asyncInstance.perform(()) { _ in recorder.record("never") }
    cancelled.dispose()
    MainScheduler.asyncInstance.perform(()) { _ in recorder.record("async") }
    ConcurrentMainScheduler.instance.perform(()) { _ in recorder.record("at once") }
    #expect(recorder.values == ["at once"])
    #expect(await eventually { recorder.values.count == 2 })
    #expect(recorder.values == ["at once", "async"])
  }

  @Test func anotherThreadsActionsRunOnTheMainQueue() async {
    Thread {
      for scheduler in [MainScheduler.instance, ConcurrentMainScheduler.instance] as [any SchedulerType] {
        scheduler.perform(()) { _ in
          MainScheduler.ensureExecutingOnScheduler()
          MainScheduler.ensureRunningOnMainThread()
          recorder.record("main")
        }
        scheduler.perform((), after: .milliseconds(1)) { _ in
          MainScheduler.ensureExecutingOnScheduler()
          recorder.record("main")
        }
      }
    }.start()
    #expect(await eventually { recorder.values.count == 4 })
  }
}
