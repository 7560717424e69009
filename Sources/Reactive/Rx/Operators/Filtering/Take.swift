/// Whether the element that ends a `take` still belongs to it (RxSwift).
public enum TakeBehavior: Sendable {
  /// It is the last element.
  case inclusive
  /// It is left out.
  case exclusive
}

extension ObservableType {
  /// The first `count` elements; then it completes. None, and no subscription, if `count` is not positive (RxSwift's
  /// `take(_:)`, which traps if it is negative).
  public func take(_ count: Int) -> Observable<Element> {
    guard count > 0 else { return .empty() }
    return stage(count) { stage, element in
      guard stage.state > 0 else { return }
      stage.state -= 1
      // Sending may cause the next element, which then is the last.
      let isLast = stage.state == 0
      stage.send(element)
      if isLast, !stage.isDisposed { stage.finish() }
    }
  }

  /// The last `count` elements, sent when this sequence completes (RxSwift, which traps if `count` is negative).
  public func takeLast(_ count: Int) -> Observable<Element> {
    stage(
      Queue<Element>(),
      atEnd: { stage in
        while !stage.isDisposed, let element = stage.state.popFirst() { stage.send(element) }
      },
      step: { stage, element in
        stage.state.append(element)
        if stage.state.count > max(count, 0) { _ = stage.state.popFirst() }
      })
  }

  /// The elements up to the first that satisfies `predicate`. An error of `predicate` ends the sequence (RxSwift).
  public func take(
    until predicate: @escaping @Sendable (Element) throws -> Bool, behavior: TakeBehavior = .exclusive
  ) -> Observable<Element> {
    stage { stage, element in
      let isLast = try predicate(element)
      if !isLast || behavior == .inclusive { stage.send(element) }
      if isLast, !stage.isDisposed { stage.finish() }
    }
  }

  /// The elements before the first that does not satisfy `predicate`, whose error ends the sequence (RxSwift).
  public func take(
    while predicate: @escaping @Sendable (Element) throws -> Bool, behavior: TakeBehavior = .exclusive
  ) -> Observable<Element> {
    take(until: { try !predicate($0) }, behavior: behavior)
  }

  /// The elements up to the first element, or the error, of `other`; its completion has no effect (RxSwift).
  public func take<Source: ObservableConvertibleType>(until other: Source) -> Observable<Element> {
    let (source, other) = (asObservable(), other.asObservable())
    return Observable { downstream in
      let sink = LockedStage<Element, Element, NoState>(downstream, NoState()) { sink, element in sink.send(element) }
      let otherSubscription = sink.observe(other) { _ in sink.sendEnd() }
      sink.setUpstream(Disposables.create(source.subscribe(sink), otherSubscription))
      return sink
    }
  }

  /// The element with the given index; then it completes. Fails with ``RxError/argumentOutOfRange`` when there are not
  /// so many elements (RxSwift's `element(at:)`, which traps if `index` is negative).
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

  /// The only element that satisfies `predicate`, sent as soon as it comes (RxSwift). Fails with ``RxError/noElements``
  /// if no element satisfies it, with ``RxError/moreThanOneElement`` if a second one does, and with an error that
  /// `predicate` throws.
  public func single(_ predicate: @escaping @Sendable (Element) throws -> Bool = { _ in true }) -> Observable<Element> {
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

  /// No element, only the end (RxSwift).
  public func ignoreElements() -> Observable<Never> { stage { _, _ in } }
}
