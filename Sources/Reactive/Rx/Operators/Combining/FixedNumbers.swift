// The number of sequences is written out for the compiler's messages: of a closure with another number of arguments it
// can say then how many are expected. What compiles takes the form with any number of sequences.
extension ObservableType {
  /// As `combineLatest(_:resultSelector:)`, of two.
  @_disfavoredOverload
  public static func combineLatest<First: ObservableConvertibleType, Second: ObservableConvertibleType>(
    _ first: First, _ second: Second,
    resultSelector: @escaping @Sendable (First.Element, Second.Element) throws -> Element
  ) -> Observable<Element> {
    .join(.latest, first.asObservable(), second.asObservable(), resultSelector: resultSelector)
  }

  /// As `combineLatest(_:resultSelector:)`, of three.
  @_disfavoredOverload
  public static func combineLatest<
    First: ObservableConvertibleType, Second: ObservableConvertibleType, Third: ObservableConvertibleType
  >(
    _ first: First, _ second: Second, _ third: Third,
    resultSelector: @escaping @Sendable (First.Element, Second.Element, Third.Element) throws -> Element
  ) -> Observable<Element> {
    .join(.latest, first.asObservable(), second.asObservable(), third.asObservable(), resultSelector: resultSelector)
  }

  /// As `combineLatest(_:resultSelector:)`, of four.
  @_disfavoredOverload
  public static func combineLatest<
    First: ObservableConvertibleType, Second: ObservableConvertibleType, Third: ObservableConvertibleType,
    Fourth: ObservableConvertibleType
  >(
    _ first: First, _ second: Second, _ third: Third, _ fourth: Fourth,
    resultSelector: @escaping @Sendable (First.Element, Second.Element, Third.Element, Fourth.Element) throws -> Element
  ) -> Observable<Element> {
    .join(
      .latest, first.asObservable(), second.asObservable(), third.asObservable(), fourth.asObservable(),
      resultSelector: resultSelector)
  }

  /// As `zip(_:resultSelector:)`, of two.
  @_disfavoredOverload
  public static func zip<First: ObservableConvertibleType, Second: ObservableConvertibleType>(
    _ first: First, _ second: Second,
    resultSelector: @escaping @Sendable (First.Element, Second.Element) throws -> Element
  ) -> Observable<Element> {
    .join(.sameIndex, first.asObservable(), second.asObservable(), resultSelector: resultSelector)
  }

  /// As `zip(_:resultSelector:)`, of three.
  @_disfavoredOverload
  public static func zip<
    First: ObservableConvertibleType, Second: ObservableConvertibleType, Third: ObservableConvertibleType
  >(
    _ first: First, _ second: Second, _ third: Third,
    resultSelector: @escaping @Sendable (First.Element, Second.Element, Third.Element) throws -> Element
  ) -> Observable<Element> {
    .join(.sameIndex, first.asObservable(), second.asObservable(), third.asObservable(), resultSelector: resultSelector)
  }

  /// As `zip(_:resultSelector:)`, of four.
  @_disfavoredOverload
  public static func zip<
    First: ObservableConvertibleType, Second: ObservableConvertibleType, Third: ObservableConvertibleType,
    Fourth: ObservableConvertibleType
  >(
    _ first: First, _ second: Second, _ third: Third, _ fourth: Fourth,
    resultSelector: @escaping @Sendable (First.Element, Second.Element, Third.Element, Fourth.Element) throws -> Element
  ) -> Observable<Element> {
    .join(
      .sameIndex, first.asObservable(), second.asObservable(), third.asObservable(), fourth.asObservable(),
      resultSelector: resultSelector)
  }
}
