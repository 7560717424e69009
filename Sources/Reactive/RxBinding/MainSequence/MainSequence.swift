public import Rx

/// A sequence of the main actor: it is subscribed to and sends there, and so its closures belong there too. They may
/// read and change what is the main actor's, such as `self` in a view controller.
///
/// Its strategy says whether it may fail and how it is shared. Use it by its other names: ``Driver`` and ``Signal``,
/// which are shared and never fail, and ``MainObservable``, which is not shared and may fail.
///
/// It is not an `ObservableType`, whose closures are called wherever the sequence sends. ``asObservable()`` makes one.
public struct MainSequence<SharingStrategy: MainSequenceStrategy, Element: Sendable>: MainSequenceType {
  /// Subscribed to on the main queue only.
  let source: Observable<Element>

  /// Shares `source` as the strategy does. It sends on the main queue when it is subscribed to there, and fails only if
  /// the strategy allows it.
  init(_ source: Observable<Element>) { self.source = SharingStrategy.share(source) }

  /// Shares `source`, which may send anywhere. What comes on the main queue passes at once.
  init(moving source: Observable<Element>) { self.init(source.observe(on: SharingStrategy.scheduler)) }

  /// Takes such a `source` as it is: it need not be shared.
  init(raw source: Observable<Element>) { self.source = source }

  /// This sequence.
  public func asMainSequence() -> MainSequence<SharingStrategy, Element> { self }
}

/// What the sequences of one kind have in common: whether they may fail, how they are shared, and where they deliver.
public protocol MainSequenceStrategy: SendableMetatype {
  /// What a sequence may fail with, and so what the closures of its operators may throw.
  associatedtype Failure: Error

  /// The scheduler that delivers what comes from elsewhere: one that runs its actions on the main queue.
  static var scheduler: any SchedulerType { get }

  /// `source` as its subscribers share it.
  static func share<Element: Sendable>(_ source: Observable<Element>) -> Observable<Element>
}

/// The strategy of sequences that keep no element for late subscribers, and so no object of `withUnretained` alive.
public protocol TransientStrategy: MainSequenceStrategy {}

/// Something that can be turned into a ``MainSequence``.
public protocol MainSequenceType<Element>: ObservableConvertibleType {
  /// Whether the sequence may fail, and how it is shared.
  associatedtype SharingStrategy: MainSequenceStrategy

  /// The sequence.
  func asMainSequence() -> MainSequence<SharingStrategy, Element>
}

extension MainSequenceType {
  /// What the operators work on: the sequence for subscribers on the main actor.
  var source: Observable<Element> { asMainSequence().source }

  /// The elements as an ordinary sequence. On another thread than the main one a subscription begins a little later.
  public func asObservable() -> Observable<Element> { source.subscribe(on: ConcurrentMainScheduler.instance) }
}

/// A sequence of the main actor that does not fail: a control's, a ``Driver`` or a ``Signal``.
public protocol InfallibleMainSequenceType<Element>: MainSequenceType {}

extension InfallibleMainSequenceType {
  /// This sequence as an `Infallible`, which does not promise where it delivers (RxCocoa).
  public func asInfallible() -> Infallible<Element> { Infallible(asObservable()) }

  /// The elements for a `for await` loop, which ends with the sequence; its end ends the subscription, which begins now.
  ///
  ///     for await title in title.values { … }
  @MainActor
  public var values: AsyncStream<Element> { AsyncStream(source) }

  /// As ``values``; of the elements that wait to be taken, only the newest `count` are kept.
  @MainActor
  public func values(bufferingNewest count: Int) -> AsyncStream<Element> {
    AsyncStream(source, .bufferingNewest(count))
  }

  /// As ``values``; of the elements that wait to be taken, only the oldest `count` are kept.
  @MainActor
  public func values(bufferingOldest count: Int) -> AsyncStream<Element> {
    AsyncStream(source, .bufferingOldest(count))
  }
}

/// `closure` for an operator of an ordinary sequence. The caller sees to it that its elements come on the main queue.
func onMainActor<each Value: Sendable, Result: Sendable, Failure: Error>(
  _ closure: @escaping @MainActor (repeat each Value) throws(Failure) -> Result
) -> @Sendable (repeat each Value) throws -> Result {
  { (value: repeat each Value) in try MainActor.assumeIsolated { try closure(repeat each value) } }
}

/// As above, if there is a closure. Swift 6.2 cannot compile a `map` of the optional one.
func onMainActor<each Value: Sendable, Result: Sendable, Failure: Error>(
  _ closure: (@MainActor (repeat each Value) throws(Failure) -> Result)?
) -> (@Sendable (repeat each Value) throws -> Result)? {
  guard let closure else { return nil }
  return { (value: repeat each Value) in try MainActor.assumeIsolated { try closure(repeat each value) } }
}

/// `closure` for the error of a sequence that fails with `Failure` only.
func onFailure<Failure: Error>(
  _ closure: (@MainActor (Failure) throws(Failure) -> Void)?
) -> (@Sendable (any Error) throws -> Void)? {
  guard let closure else { return nil }
  return { error in if let failure = error as? Failure { try MainActor.assumeIsolated { try closure(failure) } } }
}

/// A function that calls `closure`, if there is one: at once on the main queue, otherwise later.
func onMainQueue(_ closure: (@MainActor () -> Void)?) -> (@Sendable () -> Void)? {
  guard let closure else { return nil }
  return { MainQueue.run(closure) }
}
