import Rx
import RxBinding
import TestSupport
import Testing

/// Promise 2: `sentMessage`, then the user's own delegate, then `methodInvoked`.
@MainActor @Suite(.inTurn) struct DelegateProxyOrderTests {
  private let scale = Scale()

  @Test func observersStandOnBothSidesOfTheDelegate() {
    let (scale, clerk) = (Scale(), Clerk())
    var order: [String] = []
    clerk.onCall = { order.append($0) }
    scale.delegate = clerk
    let after = StreamLog(scale.rx.delegate.methodInvoked(.didWeigh)) { order.append("invoked \($0.grams)") }
    let before = StreamLog(scale.rx.delegate.sentMessage(.didWeigh)) { order.append("sent \($0.grams)") }
    scale.weigh(3)
    #expect(order == ["sent 3", "weigh 3", "invoked 3", "beep? 3"])
    #expect(before.elements.count == 1 && after.elements.count == 1)
  }

  @Test func theArgumentsAreThoseOfTheCall() {
    let log = StreamLog(scale.rx.delegate.methodInvoked(.didWeigh))
    scale.weigh(5)
    scale.weigh(6)
    #expect(log.elements.map(\.grams) == [5, 6])
    #expect(log.elements.allSatisfy { $0.scale === scale })
  }

  @Test func aCallWithinACallIsNested() {
    let (scale, clerk) = (Scale(), Clerk())
    scale.delegate = clerk
    clerk.onCall = { if $0 == "weigh 1" { scale.weigh(2) } }
    let log = StreamLog(scale.rx.didWeigh)
    scale.weigh(1)
    #expect(log.elements == [2, 1])
  }

  @Test func anObserverThatTheDelegateSubscribesHearsOfTheCallThatItIsIn() {
    let (scale, clerk) = (Scale(), Clerk())
    scale.delegate = clerk
    let proxy = scale.rx.delegate
    var log: StreamLog<Int>?
    clerk.onCall = { if $0 == "weigh 1" { log = StreamLog(proxy.methodInvoked(.didWeigh).map { $0.grams }) } }
    scale.weigh(1)
    #expect(log?.elements == [1])
  }

  @Test func observersThatGoWhileTheyAreCalledAreNotCalledAgain() {
    var first: StreamLog<Int>?
    var second: StreamLog<Int>?
    first = StreamLog(scale.rx.didWeigh) { _ in
      first?.dispose()
      second?.dispose()
    }
    second = StreamLog(scale.rx.didWeigh)
    scale.weigh(1)
    scale.weigh(2)
    #expect(first?.elements == [1])
    #expect(second?.elements == [])
  }

  @Test func anObserverThatGoesWhileItIsCalledLivesUntilItReturns() {
    let gone = Flag()
    let subscription = SerialDisposable()
    var wasThere = false
    subscription.disposable = scale.rx.delegate.methodInvoked(.didTare)
      .subscribe(onNext: { [clerk = Clerk(onDeinit: { gone.set() })] _ in
        MainActor.assumeIsolated {
          subscription.disposable = Disposables.create()
          wasThere = !gone.isSet
          clerk.beeps = true
        }
      })
    scale.tare()
    #expect(wasThere)
    #expect(gone.isSet)
  }

  @Test func aDelegateThatGoesWhileItIsCalledLivesUntilItReturns() {
    let gone = Flag()
    var clerk: Clerk? = Clerk(onDeinit: { gone.set() })
    var wasThere = false
    clerk?.onCall = { _ in
      clerk = nil
      wasThere = !gone.isSet
    }
    if let clerk { scale.rx.delegate.setForwardToDelegate(clerk, retainDelegate: false) }
    scale.tare()
    #expect(wasThere)
    #expect(gone.isSet)
  }

  @Test func allObserversHearInTheOrderOfTheirSubscription() {
    var order: [Int] = []
    let logs = (0..<5).map { number in StreamLog(scale.rx.didWeigh) { _ in order.append(number) } }
    scale.weigh(1)
    logs[2].dispose()
    scale.weigh(1)
    #expect(order == [0, 1, 2, 3, 4, 0, 1, 3, 4])
  }
}
