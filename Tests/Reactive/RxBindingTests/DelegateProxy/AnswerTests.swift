import Rx
import RxBinding
import TestSupport
import Testing

/// Promise 4: methods that return a value answer from the user's delegate, else from a stated default. Data sources, which
/// do little else, are proxied as delegates are.
@MainActor @Suite(.inTurn) struct DelegateProxyAnswerTests {
  @Test func theUsersDelegateAnswersWhileItIsThere() {
    let scale = Scale()
    var clerk: Clerk? = Clerk()
    _ = scale.rx.delegate
    scale.weigh(1)
    #expect(scale.beeps == 1, "the default")
    scale.delegate = clerk
    scale.weigh(2)
    #expect(scale.beeps == 1)
    clerk?.beeps = true
    scale.weigh(3)
    #expect(scale.beeps == 2)
    clerk?.beeps = false
    clerk = nil
    scale.weigh(4)
    #expect(scale.beeps == 3, "the default again")
  }

  @Test func questionsAreObservedOnBothSides() {
    let (scale, clerk) = (Scale(), Clerk())
    var order: [String] = []
    clerk.onCall = { order.append($0) }
    scale.delegate = clerk
    let before = StreamLog(scale.rx.delegate.sentMessage(.shouldBeep)) { order.append("sent \($0.grams)") }
    let after = StreamLog(scale.rx.delegate.methodInvoked(.shouldBeep)) { order.append("invoked \($0.grams)") }
    scale.weigh(4)
    #expect(order == ["weigh 4", "sent 4", "beep? 4", "invoked 4"])
    withExtendedLifetime((before, after)) {}
  }

  @Test func aDataSourceIsProxiedToo() {
    let (scale, clerk) = (Scale(), Clerk())
    #expect(scale.price == -1)
    scale.dataSource = clerk
    let questions = StreamLog(scale.rx.dataSource.methodInvoked(.price))
    #expect(scale.price == 7)
    scale.dataSource = nil
    #expect(scale.price == 0)
    let installation = scale.rx.setDataSource(clerk)
    #expect(scale.price == 7)
    installation.dispose()
    #expect(scale.price == 0)
    #expect(questions.elements.count == 4)
  }
}
