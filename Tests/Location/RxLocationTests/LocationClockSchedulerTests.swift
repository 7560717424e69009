import Dispatch
import LocationKit
import Rx
import RxLocation
import Testing
import TestSupport

/// Timed operators on the time of a source, which moves when it is told to.
@MainActor @Suite(.inTurn) struct LocationClockSchedulerTests {
  private let rig = Rig()
  private var latitudes: Observable<Double> { rig.manager.rx.didUpdateLocations.map { $0[0].coordinate.latitude } }

  /// A fix a second, the latitude its second.
  private func drive(_ seconds: ClosedRange<Int>) {
    for second in seconds {
      rig.clock.advance(to: Double(second))
      rig.send(Double(second))
    }
  }

  init() { rig.manager.startUpdatingLocation() }

  @Test func throttleKeepsToTheSourcesTime() {
    let first = StreamLog(latitudes.throttle(.seconds(5), latest: false, scheduler: rig.manager.rx.clock))
    let latest = StreamLog(latitudes.throttle(.seconds(5), scheduler: rig.manager.rx.clock))
    drive(1...17)
    #expect(first.elements == [1, 6, 11, 16])
    // At 6 s the throttle's timer is due before the fix of that second comes.
    #expect(latest.elements == [1, 5, 10, 15])
  }

  @Test func debounceWaitsForAPauseOfTheSource() {
    let log = StreamLog(latitudes.debounce(.milliseconds(2500), scheduler: rig.manager.rx.clock))
    drive(1...4)
    rig.clock.advance(by: 2.4)
    #expect(log.elements == [])
    rig.clock.advance(by: 0.1)
    #expect(log.elements == [4])
  }

  @Test func timeoutIsASilenceOfTheSource() {
    let log = StreamLog(latitudes.timeout(.seconds(3), scheduler: rig.manager.rx.clock))
    drive(1...9)
    #expect(log.errors.isEmpty)
    rig.clock.advance(by: 3)
    #expect(log.elements == (1...9).map(Double.init))
    #expect(log.errors.count == 1)
  }

  @Test func anIntervalTicksUntilItIsDisposed() {
    let log = StreamLog(Observable<Int>.interval(.seconds(2), scheduler: rig.manager.rx.clock))
    rig.clock.advance(to: 5)
    #expect(log.elements == [0, 1])
    log.dispose()
    rig.clock.advance(to: 50)
    #expect(log.elements == [0, 1])
  }

  @Test func whatIsDisposedOfDoesNotRun() {
    var runs = 0
    let clock = rig.manager.rx.clock
    let run: @Sendable (Int) -> any Disposable = { step in
      MainActor.assumeIsolated { runs += step }
      return Disposables.create()
    }
    let pending = clock.scheduleRelative(1, dueTime: .seconds(1), action: run)
    _ = clock.scheduleRelative(10, dueTime: .seconds(1), action: run)
    _ = clock.scheduleRelative(100, dueTime: .never, action: run)
    _ = clock.schedule(1000, action: run)
    #expect(runs == 1000)
    pending.dispose()
    rig.clock.advance(by: 1_000_000)
    #expect(runs == 1010)
  }

  /// What an action has begun ends with what scheduled it.
  @Test func whatAnActionReturnsIsDisposedOf() {
    let ended = BooleanDisposable()
    let scheduled = rig.manager.rx.clock.scheduleRelative((), dueTime: .seconds(1)) { _ in ended }
    rig.clock.advance(by: 1)
    #expect(!ended.isDisposed)
    scheduled.dispose()
    #expect(ended.isDisposed)
  }

  @Test func itMayBeScheduledOnFromAnyThread() async {
    let scheduler = rig.manager.rx.clock
    let log = StreamLog(
      Observable<Int>.timer(.seconds(1), scheduler: scheduler)
        .subscribe(on: ConcurrentDispatchQueueScheduler(qos: .utility)))
    // The span begins when the main actor learns of it.
    #expect(
      await eventually {
        rig.clock.advance(by: 1)
        return log.completions == 1
      })
    #expect(log.elements == [0])
  }

  @Test func theTimeIsTheMainActors() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let clock = await MainActor.run { LocationClockScheduler(VirtualClock()) }
      await withCheckedContinuation { continuation in
        _ = ConcurrentDispatchQueueScheduler(qos: .utility).schedule(()) { _ in
          print(clock.now)
          continuation.resume()
          return Disposables.create()
        }
      }
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("write observe(on: MainScheduler.instance) first"))
  }
}
