import Rx
import RxBinding
import RxTestSupport
import Testing

/// What a subscription captures goes when it has ended, was disposed of, or has lost its parent, while the bag is still
/// held.
@MainActor @Suite(.inTurn) struct BindingLifetimeTests {
  /// Each way to subscribe in this module. `source` is a subject's.
  private typealias Way = @MainActor (_ source: Observable<Int>, _ object: Captured) -> any Disposable

  private nonisolated static let ways: [String: Way] = [
    "drive onNext": { driver($0).drive(onNext: use($1)) },
    "drive onCompleted": { source, object in driver(source).drive(onCompleted: { object.touch() }) },
    "drive onDisposed": { source, object in driver(source).drive(onDisposed: { object.touch() }) },
    "drive with": { source, object in driver(source).drive(with: Captured(), onNext: { _, _ in object.touch() }) },
    "drive observer": { source, object in driver(source).drive(AnyObserver { _ in object.touch() }) },
    "drive observers": { source, object in
      driver(source).drive(AnyObserver { _ in object.touch() }, AnyObserver { _ in })
    },
    "drive binder": { source, object in driver(source).drive(Binder(Captured()) { _, _ in object.touch() }) },
    "emit onNext": { $0.asSignal(onErrorJustReturn: 0).emit(onNext: use($1)) },
    "emit onDisposed": { source, object in
      source.asSignal(onErrorJustReturn: 0).emit(onDisposed: { object.touch() })
    },
    "emit observer": { source, object in
      source.asSignal(onErrorJustReturn: 0).emit(to: AnyObserver { _ in object.touch() })
    },
    "bind onNext": { source, object in source.catchAndReturn(0).bind(onNext: { _ in object.touch() }) },
    "control event": { source, object in
      ControlEvent(events: source).subscribe(onNext: { _ in object.touch() }, onError: { _ in })
    },
    "control event as signal": { source, object in
      ControlEvent(events: source.catchAndReturn(0)).asSignal().emit(onNext: { _ in object.touch() })
    },
    "control property": { source, object in
      property(source).subscribe(onNext: { _ in object.touch() }, onError: { _ in })
    },
    "control property, changed": { source, object in
      property(source).changed.subscribe(onNext: { _ in object.touch() }, onError: { _ in })
    },
    "driver of drivers": { source, object in
      driver(source).flatMapLatest { _ in driver(source) }.drive(onNext: use(object))
    },
    "drivers combined": { source, object in
      Driver.combineLatest(driver(source), driver(source)) { $0 + $1 }.drive(onNext: use(object))
    },
    "drivers zipped": { source, object in
      Driver.zip([driver(source), driver(source)]).map { $0[0] }.drive(onNext: use(object))
    },
  ]

  private static func driver(_ source: Observable<Int>) -> Driver<Int> { source.asDriver(onErrorJustReturn: 0) }

  private static func property(_ source: Observable<Int>) -> ControlProperty<Int> {
    ControlProperty(values: source, valueSink: AnyObserver { _ in })
  }

  private static func use(_ object: Captured) -> @MainActor (Int) -> Void { { _ in object.touch() } }

  @Test(arguments: ways.keys.sorted(), [Event<Int>.completed, .error(RxError.noElements)])
  func aStreamThatHasEndedFreesWhatItCaptured(name: String, end: Event<Int>) async {
    let isFreed = await frees { object, bag in
      let subject = PublishSubject<Int>()
      subscribe(name, subject, object).disposed(by: bag)
      subject.onNext(1)
      subject.on(end)
      withExtendedLifetime(subject) {}
    }
    #expect(isFreed)
  }

  @Test(arguments: ways.keys.sorted()) func aSubscriptionThatIsDisposedFreesWhatItCaptured(name: String) async {
    let subject = PublishSubject<Int>()
    let isFreed = await frees { object, bag in
      let subscription = subscribe(name, subject, object)
      subscription.disposed(by: bag)
      subject.onNext(1)
      subscription.dispose()
    }
    #expect(isFreed)
    #expect(!subject.hasObservers)
  }

  private func subscribe(_ name: String, _ source: Observable<Int>, _ object: Captured) -> any Disposable {
    Self.ways[name]?(source, object) ?? Disposables.create()
  }

  @Test func aRelayThatIsLetGoFreesItsDrivers() async {
    let isFreed = await frees { object, bag in
      let relay = BehaviorRelay(value: 1)
      relay.asDriver().drive(onNext: Self.use(object)).disposed(by: bag)
      Driver.combineLatest(relay.asDriver(), PublishRelay<Int>().asDriver(onErrorJustReturn: 0)) { $0 + $1 }
        .drive(onNext: Self.use(object)).disposed(by: bag)
    }
    #expect(isFreed)
  }

  // MARK: Delegate proxies

  @Test(arguments: [false, true]) func aParentThatGoesFreesWhatItsStreamsCaptured(isForeign: Bool) async {
    let isFreed = await frees { object, bag in
      if isForeign {
        let foreign = Foreign()
        foreign.rx.didHappen.subscribe(onNext: { _ in object.touch() }).disposed(by: bag)
        foreign.happen(1)
      } else {
        let scale = Scale()
        scale.rx.didWeigh.subscribe(onNext: { _ in object.touch() }).disposed(by: bag)
        scale.rx.delegate.sentMessage(.didTare).subscribe(onDisposed: { object.touch() }).disposed(by: bag)
        ControlEvent(events: scale.rx.didTare).asSignal().emit(onNext: { object.touch() }).disposed(by: bag)
        scale.weigh(1)
      }
    }
    #expect(isFreed)
  }
}
