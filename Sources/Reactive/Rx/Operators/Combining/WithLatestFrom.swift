extension ObservableType {
  /// What `resultSelector` makes of each element and the latest one of `second`; elements that come before the first of
  /// `second` are lost. An error of either ends the sequence, as does what `resultSelector` throws; the completion of
  /// `second` does not (RxSwift's `withLatestFrom(_:resultSelector:)`).
  public func withLatestFrom<Source: ObservableConvertibleType, Result: Sendable>(
    _ second: Source, resultSelector: @escaping @Sendable (Element, Source.Element) throws -> Result
  ) -> Observable<Result> {
    let (first, second) = (asObservable(), second.asObservable())
    return OperatorProducer { downstream in
      WithLatestFromSink(downstream, resultSelector).connect(first, second)
    }
  }

  /// The latest element of `second` at each element of this sequence (RxSwift's `withLatestFrom(_:)`).
  public func withLatestFrom<Source: ObservableConvertibleType>(_ second: Source) -> Observable<Source.Element> {
    withLatestFrom(second) { $1 }
  }
}

/// `@unchecked Sendable`: see ``LockedSink``.
private final class WithLatestFromSink<First: Sendable, Second: Sendable, Result: Sendable>:
  LockedSink<First, Result>, @unchecked Sendable
{
  private let resultSelector: @Sendable (First, Second) throws -> Result
  private var latest: Second?

  init(_ downstream: Sink<Result>, _ resultSelector: @escaping @Sendable (First, Second) throws -> Result) {
    self.resultSelector = resultSelector
    super.init(downstream)
  }

  func connect(_ first: Observable<First>, _ second: Observable<Second>) -> Self {
    let secondSubscription = observe(second) { event in
      switch event {
      case .next(let element): self.latest = element
      case .error(let error): self.finish(error)
      case .completed: break
      }
    }
    setUpstream(Disposables.create(first.subscribe(self), secondSubscription))
    return self
  }

  override func receive(_ element: First) {
    guard let latest else { return }
    do {
      downstream.next(try resultSelector(element, latest))
    } catch {
      finish(error)
    }
  }
}

extension ObservableType {
  /// At each element of `sampler`, and when it completes, the latest element of this sequence since the last time, or
  /// else `defaultValue` if there is one. Ends with the first tick after this sequence has completed (RxSwift's
  /// `sample(_:defaultValue:)`).
  public func sample<Source: ObservableType>(
    _ sampler: Source, defaultValue: Element? = nil
  ) -> Observable<Element> {
    let (source, sampler) = (asObservable(), sampler.asObservable())
    return OperatorProducer { downstream in
      SampleSink(downstream, defaultValue: defaultValue).connect(source, sampler)
    }
  }
}

/// `@unchecked Sendable`: see ``LockedSink``.
private final class SampleSink<Element: Sendable>: LockedSink<Element, Element>, @unchecked Sendable {
  private let defaultValue: Element?
  private let sourceSubscription = SingleAssignmentDisposable()
  private var latest: Element?
  private var isSourceDone = false

  init(_ downstream: Sink<Element>, defaultValue: Element?) {
    self.defaultValue = defaultValue
    super.init(downstream)
  }

  func connect<Tick: Sendable>(_ source: Observable<Element>, _ sampler: Observable<Tick>) -> Self {
    sourceSubscription.setDisposable(source.subscribe(self))
    let samplerSubscription = observe(sampler) { event in
      if case .error(let error) = event { self.finish(error) } else { self.tick() }
    }
    setUpstream(Disposables.create(sourceSubscription, samplerSubscription))
    return self
  }

  override func receive(_ element: Element) {
    latest = element
  }

  override func receiveCompleted() {
    isSourceDone = true
    sourceSubscription.dispose()
  }

  private func tick() {
    if let element = latest.take() ?? defaultValue { downstream.next(element) }
    if isSourceDone, !isDisposed { finish() }
  }
}
