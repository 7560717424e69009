import Foundation
import Rx
import RxBinding
import RxTestSupport
import Testing

@Suite(.leavesNoResources, .inTurn) @MainActor struct DriverConcurrencyTests {
  /// Four threads write while the main one subscribes and unsubscribes: what arrives does so on the main queue, in
  /// order, and the last word is heard.
  @Test func aDriverFollowsARelayThatManyThreadsWriteTo() async {
    let writers = 4
    let writes = 2_000
    let relay = BehaviorRelay(value: [Int](repeating: 0, count: writers))
    let lock = NSLock()
    let finished = Recorder<Bool>()
    let faults = Recorder<String>()
    for writer in 0..<writers {
      DispatchQueue.global().async {
        for number in 1...writes {
          // The sum of all writers' numbers grows by one with each write.
          lock.withLock {
            var value = relay.value
            value[writer] = number
            relay.accept(value)
          }
        }
        finished.record(true)
      }
    }
    #expect(
      await eventually {
        let last = Recorder<Int>()
        let subscription = relay.asDriver().map { $0.reduce(0, +) }.drive(onNext: { sum in
          if !MainQueue.isCurrent { faults.record("\(sum) came elsewhere") }
          if sum < last.values.last ?? 0 { faults.record("\(sum) came after \(last.values)") }
          last.record(sum)
        })
        defer { subscription.dispose() }
        return finished.values.count == writers
      })
    let latest = Recorder<Int>()
    let subscription = relay.asDriver().map { $0.reduce(0, +) }.drive(onNext: { latest.record($0) })
    #expect(latest.values == [writers * writes])
    subscription.dispose()
    #expect(faults.values == [])
  }

  @Test func elementsOnTheirWayAreDroppedAtDisposal() async {
    let relay = PublishRelay<Int>()
    let isDisposed = Recorder<Bool>()
    let late = Recorder<Int>()
    let subscription = relay.asSignal().emit(onNext: { element in
      if !isDisposed.values.isEmpty { late.record(element) }
    })
    onBackgroundQueue { for element in 0..<100 { relay.accept(element) } }
    isDisposed.record(true)
    subscription.dispose()
    let passed = Recorder<Bool>()
    MainQueue.runLater { passed.record(true) }
    #expect(await eventually { !passed.values.isEmpty })
    #expect(late.values == [])
  }
}
