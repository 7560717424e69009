extension ObservableType {
  /// The element with the given index; then it completes. Fails with ``RxError/argumentOutOfRange`` when there are not so
  /// many elements (RxSwift's `element(at:)`, which traps if `index` is negative).
  public func element(at index: Int) -> Observable<Element> {
    guard index >= 0 else { return .error(RxError.argumentOutOfRange) }
    return stage(
      index,
      atEnd: { _ in throw RxError.argumentOutOfRange },
      step: { stage, element in
        stage.state -= 1
        guard stage.state == -1 else { return }
        stage.send(element)
        if !stage.isDisposed { stage.finish() }
      })
  }

  /// The only element, sent as soon as it comes. Fails with ``RxError/noElements`` without one, and with
  /// ``RxError/moreThanOneElement`` at a second one (RxSwift's `single()`).
  public func single() -> Observable<Element> {
    single { _ in true }
  }

  /// The only element that satisfies `predicate`, sent as soon as it comes. Fails with ``RxError/noElements`` if there is
  /// none, with ``RxError/moreThanOneElement`` at a second one, and with what `predicate` throws (RxSwift's `single(_:)`).
  public func single(_ predicate: @escaping @Sendable (Element) throws -> Bool) -> Observable<Element> {
    stage(
      false,
      atEnd: { stage in if !stage.state { throw RxError.noElements } },
      step: { stage, element in
        guard try predicate(element) else { return }
        if stage.state { throw RxError.moreThanOneElement }
        stage.state = true
        stage.send(element)
      })
  }

  /// No element, only the end (RxSwift's `ignoreElements`).
  public func ignoreElements() -> Observable<Never> {
    stage { _, _ in }
  }
}
