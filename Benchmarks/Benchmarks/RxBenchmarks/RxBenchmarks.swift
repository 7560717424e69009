import Benchmark
import OpenCombine
import Rx
import RxBinding

// Each group does the same work with Rx, with OpenCombine and, if possible, with a bare closure. A second thread is
// alive during all of it (see SecondThread), and the subscribed sequences are opaque to the optimiser. Times are for
// one event, which fan-out delivers to all its subscribers.
let benchmarks: @Sendable () -> Void = {
  Benchmark.defaultConfiguration = .init(
    metrics: [.wallClock],
    warmupIterations: 20,
    scalingFactor: .kilo,
    maxDuration: .milliseconds(150),
    maxIterations: 20_000)
  SecondThread.start()

  subjectToSubscriber()
  subjectMapFilterSubscriber()
  subjectMapBinder()
  fanOut(to: 8)
  fanOut(to: 1000)
  relayAccept()
  combineLatestOfTwo()
  subscribeAndDispose()
  traits()
}

@Sendable
private func subjectToSubscriber() {
  Benchmark("subject → subscriber: bare closure") { benchmark in
    let source = opaque(ClosureList())
    source.add { consume($0) }
    benchmark.startMeasurement()
    for i in benchmark.scaledIterations { source.emit(i) }
  }
  Benchmark("subject → subscriber: Rx") { benchmark in
    let source = opaque(Rx.PublishSubject<Int>())
    let subscription = source.subscribe(onNext: { consume($0) })
    benchmark.startMeasurement()
    for i in benchmark.scaledIterations { source.onNext(i) }
    benchmark.stopMeasurement()
    subscription.dispose()
  }
  Benchmark("subject → subscriber: OpenCombine") { benchmark in
    let source = opaque(PassthroughSubject<Int, Swift.Never>())
    let subscription = source.sink { consume($0) }
    benchmark.startMeasurement()
    for i in benchmark.scaledIterations { source.send(i) }
    benchmark.stopMeasurement()
    subscription.cancel()
  }
}

@Sendable
private func subjectMapFilterSubscriber() {
  Benchmark("subject → map → filter → subscriber: bare closure") { benchmark in
    let source = opaque(ClosureList())
    source.add { element in
      let mapped = element &+ 1
      if mapped >= 0 { consume(mapped) }
    }
    benchmark.startMeasurement()
    for i in benchmark.scaledIterations { source.emit(i) }
  }
  Benchmark("subject → map → filter → subscriber: Rx") { benchmark in
    let source = opaque(Rx.PublishSubject<Int>())
    let subscription = source.map { $0 &+ 1 }.filter { $0 >= 0 }.subscribe(onNext: { consume($0) })
    benchmark.startMeasurement()
    for i in benchmark.scaledIterations { source.onNext(i) }
    benchmark.stopMeasurement()
    subscription.dispose()
  }
  Benchmark("subject → map → filter → subscriber: OpenCombine") { benchmark in
    let source = opaque(PassthroughSubject<Int, Swift.Never>())
    let subscription = source.map { $0 &+ 1 }.filter { $0 >= 0 }.sink { consume($0) }
    benchmark.startMeasurement()
    for i in benchmark.scaledIterations { source.send(i) }
    benchmark.stopMeasurement()
    subscription.cancel()
  }
}

@Sendable
private func subjectMapBinder() {
  Benchmark("subject → map → Binder, on the main actor: Rx") { @MainActor benchmark async in
    let label = Label()
    let source = opaque(Rx.PublishSubject<Int>())
    let binder = Binder<Int>(label) { label, value in label.value = value }
    let subscription = source.map { $0 &+ 1 }.bind(to: binder)
    benchmark.startMeasurement()
    for i in benchmark.scaledIterations { source.onNext(i) }
    benchmark.stopMeasurement()
    subscription.dispose()
    precondition(label.value > 0, "was not bound at once")
  }
  Benchmark("subject → map → assign, on the main actor: OpenCombine") { @MainActor benchmark async in
    let label = PlainLabel()
    let source = opaque(PassthroughSubject<Int, Swift.Never>())
    let subscription = source.map { $0 &+ 1 }.assign(to: \.value, on: label)
    benchmark.startMeasurement()
    for i in benchmark.scaledIterations { source.send(i) }
    benchmark.stopMeasurement()
    subscription.cancel()
  }
}

@Sendable
private func fanOut(to count: Int) {
  let scaling: BenchmarkScalingFactor = count > 100 ? .one : .kilo
  let configuration = Benchmark.Configuration(
    metrics: [.wallClock], warmupIterations: 20, scalingFactor: scaling, maxDuration: .milliseconds(150),
    maxIterations: 20_000)
  Benchmark("fan-out to \(count): bare closures", configuration: configuration) { benchmark in
    let source = opaque(ClosureList())
    for _ in 0..<count { source.add { consume($0) } }
    benchmark.startMeasurement()
    for i in benchmark.scaledIterations { source.emit(i) }
  }
  Benchmark("fan-out to \(count): Rx", configuration: configuration) { benchmark in
    let source = opaque(Rx.PublishSubject<Int>())
    let bag = DisposeBag()
    for _ in 0..<count { source.subscribe(onNext: { consume($0) }).disposed(by: bag) }
    benchmark.startMeasurement()
    for i in benchmark.scaledIterations { source.onNext(i) }
    benchmark.stopMeasurement()
    withExtendedLifetime(bag) {}
  }
  Benchmark("fan-out to \(count): OpenCombine", configuration: configuration) { benchmark in
    let source = opaque(PassthroughSubject<Int, Swift.Never>())
    var subscriptions: [AnyCancellable] = []
    for _ in 0..<count { subscriptions.append(source.sink { consume($0) }) }
    benchmark.startMeasurement()
    for i in benchmark.scaledIterations { source.send(i) }
    benchmark.stopMeasurement()
    withExtendedLifetime(subscriptions) {}
  }
}

@Sendable
private func relayAccept() {
  Benchmark("relay accept: Rx") { benchmark in
    let relay = opaque(BehaviorRelay(value: 0))
    let subscription = relay.subscribe(onNext: { consume($0) })
    benchmark.startMeasurement()
    for i in benchmark.scaledIterations { relay.accept(i) }
    benchmark.stopMeasurement()
    subscription.dispose()
  }
  Benchmark("relay accept: OpenCombine") { benchmark in
    let relay = opaque(CurrentValueSubject<Int, Swift.Never>(0))
    let subscription = relay.sink { consume($0) }
    benchmark.startMeasurement()
    for i in benchmark.scaledIterations { relay.send(i) }
    benchmark.stopMeasurement()
    subscription.cancel()
  }
}

// OpenCombine has no combineLatest.
@Sendable
private func combineLatestOfTwo() {
  Benchmark("combineLatest of two: Rx") { benchmark in
    let first = opaque(Rx.PublishSubject<Int>())
    let second = opaque(Rx.PublishSubject<Int>())
    let subscription = Rx.Observable.combineLatest(first, second) { $0 &+ $1 }.subscribe(onNext: { consume($0) })
    second.onNext(1)
    benchmark.startMeasurement()
    for i in benchmark.scaledIterations { first.onNext(i) }
    benchmark.stopMeasurement()
    subscription.dispose()
  }
}

@Sendable
private func subscribeAndDispose() {
  Benchmark("subscribe and dispose map.filter: Rx") { benchmark in
    let source = opaque(Rx.PublishSubject<Int>())
    benchmark.startMeasurement()
    for _ in benchmark.scaledIterations {
      source.map { $0 &+ 1 }.filter { $0 >= 0 }.subscribe(onNext: { consume($0) }).dispose()
    }
  }
  Benchmark("subscribe late and dispose share(replay: 1): Rx") { benchmark in
    let source = opaque(Rx.PublishSubject<Int>())
    let shared = opaque(source.share(replay: 1))
    let first = shared.subscribe(onNext: { consume($0) })
    source.onNext(1)
    benchmark.startMeasurement()
    for _ in benchmark.scaledIterations { shared.subscribe(onNext: { consume($0) }).dispose() }
    benchmark.stopMeasurement()
    first.dispose()
  }
  Benchmark("subscribe and dispose: Rx") { benchmark in
    let source = opaque(Rx.PublishSubject<Int>())
    benchmark.startMeasurement()
    for _ in benchmark.scaledIterations { source.subscribe(onNext: { consume($0) }).dispose() }
  }
  Benchmark("subscribe and dispose map.filter: OpenCombine") { benchmark in
    let source = opaque(PassthroughSubject<Int, Swift.Never>())
    benchmark.startMeasurement()
    for _ in benchmark.scaledIterations {
      source.map { $0 &+ 1 }.filter { $0 >= 0 }.sink { consume($0) }.cancel()
    }
  }
}

// The cost of a trait: a subscription with one event, and for Infallible an event, each beside the plain Observable.
@Sendable
private func traits() {
  subscription("Observable", opaque(Rx.Observable.just(1))) { $0.subscribe(onNext: { consume($0) }) }
  subscription("Single", opaque(Single.just(1))) { $0.subscribe(onSuccess: { consume($0) }) }
  subscription("Maybe", opaque(Maybe.just(1))) { $0.subscribe(onSuccess: { consume($0) }) }
  subscription("Completable", opaque(Completable.empty())) { $0.subscribe(onCompleted: { consume(1) }) }
  subscription("Infallible", opaque(Infallible.just(1))) { $0.subscribe(onNext: { consume($0) }) }

  event("Observable") { $0.map { $0 &+ 1 }.subscribe(onNext: { consume($0) }) }
  event("Infallible") { $0.asInfallible(onErrorJustReturn: 0).map { $0 &+ 1 }.subscribe(onNext: { consume($0) }) }
  event("groupBy") { $0.groupBy { $0 & 7 }.flatMap { $0 }.subscribe(onNext: { consume($0) }) }
  event("materialize") { $0.materialize().subscribe(onNext: { consume($0.element ?? 0) }) }

  mainActor("ControlEvent") { ControlEvent(events: $0).map { $0 &+ 1 }.subscribe(onNext: { consume($0) }) }
  mainActor("Driver") { $0.asDriver(onErrorJustReturn: 0).map { $0 &+ 1 }.drive(onNext: { consume($0) }) }
  mainActor("Signal") { $0.asSignal(onErrorJustReturn: 0).map { $0 &+ 1 }.emit(onNext: { consume($0) }) }
  mainActor("Observable") { $0.map { $0 &+ 1 }.subscribeOnMain(onNext: { consume($0) }) }
}

/// The cost of a subscription, and of an event, of a sequence on the main actor.
private func mainActor(
  _ name: String, _ subscribe: @escaping @MainActor @Sendable (Rx.PublishSubject<Int>) -> any Disposable
) {
  Benchmark("event on the main actor: \(name)") { @MainActor benchmark async in
    let source = opaque(Rx.PublishSubject<Int>())
    let subscription = subscribe(source)
    benchmark.startMeasurement()
    for i in benchmark.scaledIterations { source.onNext(i) }
    benchmark.stopMeasurement()
    subscription.dispose()
  }
  Benchmark("subscribe and dispose on the main actor: \(name)") { @MainActor benchmark async in
    let source = opaque(Rx.PublishSubject<Int>())
    benchmark.startMeasurement()
    for _ in benchmark.scaledIterations { subscribe(source).dispose() }
  }
}

private func subscription<Source: Sendable>(
  _ name: String, _ source: Source, _ subscribe: @escaping @Sendable (Source) -> any Disposable
) {
  Benchmark("subscribe to one event: \(name)") { benchmark in
    for _ in benchmark.scaledIterations { subscribe(source).dispose() }
  }
}

private func event(_ name: String, _ subscribe: @escaping @Sendable (Rx.PublishSubject<Int>) -> any Disposable) {
  Benchmark("event of a trait or new operator: \(name)") { benchmark in
    let source = opaque(Rx.PublishSubject<Int>())
    let subscription = subscribe(source)
    benchmark.startMeasurement()
    for i in benchmark.scaledIterations { source.onNext(i) }
    benchmark.stopMeasurement()
    subscription.dispose()
  }
}
