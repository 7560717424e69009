import Glibc
import Rx
import Testing
import TestSupport

@testable import RxBinding

/// Promise 6: the parent owns its proxy, which holds it weakly; when the parent goes, every stream completes, nothing is
/// left behind, and an address that is used again means nothing.
@MainActor @Suite(.inTurn) struct DelegateProxyLifetimeTests {
  @Test func streamsCompleteWhenTheParentGoes() {
    var scale: Scale? = Scale()
    weak let weakScale = scale
    guard let proxy = scale?.rx.delegate else { return }
    let invoked = StreamLog(proxy.methodInvoked(.didWeigh))
    let sent = StreamLog(proxy.sentMessage(.didTare))
    let second = StreamLog(proxy.methodInvoked(.didWeigh))
    #expect(invoked.completions == 0)
    scale = nil
    #expect(weakScale == nil)
    #expect([invoked.completions, sent.completions, second.completions] == [1, 1, 1])
    #expect(invoked.errors.isEmpty)
    #expect(proxy.parentObject == nil)
    invoked.dispose()
    #expect(invoked.completions == 1)
  }

  @Test func streamsAskedForAfterTheEndCompleteAtOnce() {
    var scale: Scale? = Scale()
    guard let proxy = scale?.rx.delegate else { return }
    let kept = proxy.methodInvoked(.didWeigh)
    scale = nil
    #expect(StreamLog(kept).completions == 1)
    #expect(StreamLog(proxy.methodInvoked(.didTare)).completions == 1)
    #expect(!proxy.isObserved(.didTare))
  }

  @Test func whoeverCompletesMaySubscribeAgain() {
    var scale: Scale? = Scale()
    guard let proxy = scale?.rx.delegate else { return }
    let (weighed, tared) = (proxy.methodInvoked(.didWeigh), proxy.methodInvoked(.didTare))
    var late: StreamLog<Scale>?
    let subscription = weighed.subscribe(onCompleted: { MainActor.assumeIsolated { late = StreamLog(tared) } })
    scale = nil
    #expect(late?.completions == 1)
    subscription.dispose()
  }

  @Test func aParentReleasedOnAnotherThreadCompletesItsStreamsOnTheMainActor() async {
    let box = Box(Scale())
    let completed = Flag()
    let onMain = Flag()
    let subscription = box.value?.rx.didWeigh.subscribe(onCompleted: {
      if MainQueue.isCurrent { onMain.set() }
      completed.set()
    })
    await Task.detached { await box.clear() }.value
    #expect(await eventually { completed.isSet })
    #expect(completed.isSet && onMain.isSet)
    subscription?.dispose()
  }

  @Test func manyParentsLeaveNothing() async {
    var left: [Weak] = []
    for number in 0..<400 {
      let scale = Scale()
      let proxy = scale.rx.delegate
      // Most of a test's time goes into subscribing, so not everybody does.
      if number % 8 == 0 { _ = proxy.methodInvoked(.didWeigh).subscribe() }
      left += [Weak(object: scale), Weak(object: proxy)]
    }
    #expect(await eventually { left.allSatisfy { $0.object == nil } })
  }

  private struct Weak {
    weak var object: AnyObject?
  }

  // MARK: A class that one cannot change

  @Test func streamsOfAForeignObjectCompleteByThemselves() async {
    var foreign: Foreign? = Foreign()
    let log = (foreign?.rx.didHappen).map { StreamLog($0) }
    foreign = nil
    #expect(await eventually { log?.completions == 1 })
  }

  /// The watch over a table ends with its last object, and begins again with the next one.
  @Test func aTableThatWasEmptyIsWatchedAgain() async {
    let table = DelegateProxySideTable()
    for round in 1...2 {
      var object: Foreign? = Foreign()
      _ = object.map { table.proxies(of: $0) }
      object = nil
      #expect(await eventually(within: 5) { table.count == 0 }, "the table keeps object \(round), which is gone")
    }
  }

  @Test func anotherObjectAtAnAddressHasProxiesOfItsOwn() {
    let table = DelegateProxySideTable.shared
    var first: Foreign? = Foreign()
    let second = Foreign()
    guard let proxy = first?.rx.delegate, let address = first.map({ ObjectIdentifier($0) }) else { return }
    let log = StreamLog(proxy.methodInvoked(.didHappen))
    #expect(first.map { table.proxies(of: $0)[RxForeignDelegateProxy.identifier] === proxy } == true)
    first = nil
    #expect(log.completions == 0)
    // As if the second one were where the first one was.
    let others = table.proxies(of: second, at: address)
    #expect(others[RxForeignDelegateProxy.identifier] == nil)
    #expect(log.completions == 1)
  }

  @Test func manyForeignObjectsLeaveNothing() async {
    var left: [Weak] = []
    let living = Foreign()
    let log = StreamLog(living.rx.didHappen)
    for _ in 0..<400 {
      let foreign = Foreign()
      left += [Weak(object: foreign), Weak(object: foreign.rx.delegate)]
    }
    #expect(await eventually { left.allSatisfy { $0.object == nil } })
    living.happen(1)
    #expect(log.elements == [1])
  }

  @Test func theTableForgetsObjectsWhoseAddressesAreNotUsedAgain() {
    var inTheWay: [Foreign] = []
    for _ in 0..<5 {
      var objects = (0..<600).map { _ in Foreign() }
      for object in objects { _ = object.rx.delegate }
      objects = []
      // These take the addresses, and have no proxies.
      inTheWay += (0..<600).map { _ in Foreign() }
    }
    #expect(DelegateProxySideTable.shared.count <= 2400)
    withExtendedLifetime(inTheWay) {}
  }
}

/// Something that another thread may clear.
@MainActor
private final class Box {
  var value: Scale?

  init(_ value: Scale) { self.value = value }

  nonisolated func clear() async {
    // Taken on the main actor, released here.
    let value = await take()
    withExtendedLifetime(value) {}
  }

  private func take() -> Scale? {
    defer { value = nil }
    return value
  }
}
