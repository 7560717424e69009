public import Rx

// Control events and observables together. Where all sequences are the main actor's, so is what is made of them.
extension ObservableType {
  /// The elements of all `sources` as they come, on the main actor.
  ///
  ///     Observable.merge(plus.rx.tap.map { 1 }, minus.rx.tap.map { -1 })
  ///       .scan(0) { $0 + $1 }
  ///       .bind(with: self, onNext: { $0.show($1) })
  public static func merge(_ sources: any MainObservableType<Element>...) -> MainObservable<Element> {
    MainObservable(Observable.merge(sources.map { $0.source }))
  }

  /// The elements of all `sources`, of any kind, as they come.
  @_disfavoredOverload
  public static func merge(_ sources: any ObservableConvertibleType<Element>...) -> Observable<Element> {
    merge(sources.map { $0.asObservable() })
  }

  /// The elements of `sources`, one sequence after the other, on the main actor.
  public static func concat(_ sources: any MainObservableType<Element>...) -> MainObservable<Element> {
    MainObservable(Observable.concat(sources.map { $0.source }))
  }

  /// The elements of `sources`, of any kind, one sequence after the other.
  @_disfavoredOverload
  public static func concat(_ sources: any ObservableConvertibleType<Element>...) -> Observable<Element> {
    concat(sources.map { $0.asObservable() })
  }

  /// The results of `resultSelector` on the main actor for the newest elements of all sources.
  public static func combineLatest<First: MainObservableType, each Other: MainObservableType>(
    _ first: First, _ other: repeat each Other,
    resultSelector: @escaping @MainActor (First.Element, repeat (each Other).Element) throws -> Element
  ) -> MainObservable<Element> {
    let selector: @Sendable (First.Element, repeat (each Other).Element) throws -> Element = onMainActor(resultSelector)
    return MainObservable(Observable.combineLatest(first.source, repeat (each other).source, resultSelector: selector))
  }

  /// The results of `resultSelector` on the main actor for the first elements, the second ones, and so on.
  public static func zip<First: MainObservableType, each Other: MainObservableType>(
    _ first: First, _ other: repeat each Other,
    resultSelector: @escaping @MainActor (First.Element, repeat (each Other).Element) throws -> Element
  ) -> MainObservable<Element> {
    let selector: @Sendable (First.Element, repeat (each Other).Element) throws -> Element = onMainActor(resultSelector)
    return MainObservable(Observable.zip(first.source, repeat (each other).source, resultSelector: selector))
  }
}

extension ObservableType where Element == any Sendable {
  /// The newest elements of all sources, in a tuple, on the main actor.
  public static func combineLatest<each Source: MainObservableType>(
    _ source: repeat each Source
  ) -> MainObservable<(repeat (each Source).Element)> {
    MainObservable(Observable.combineLatest(repeat (each source).source))
  }

  /// The first elements of all sources in a tuple, their second ones, and so on, on the main actor.
  public static func zip<each Source: MainObservableType>(
    _ source: repeat each Source
  ) -> MainObservable<(repeat (each Source).Element)> {
    MainObservable(Observable.zip(repeat (each source).source))
  }
}

extension MainObservableType {
  /// The elements, each turned into what `transform` makes of it, as an ordinary sequence, where one is expected:
  ///
  ///     let taps: Observable<Void> = button.rx.tap.map { _ in }
  ///
  /// After any other operator write ``MainSequenceType/asObservable()``.
  @_disfavoredOverload
  public func map<Result: Sendable>(
    _ transform: @escaping @MainActor (Element) throws -> Result
  ) -> Observable<Result> {
    MainObservable(source.map(onMainActor(transform))).asObservable()
  }
}
