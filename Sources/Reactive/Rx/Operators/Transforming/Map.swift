extension ObservableType {
  /// The results of `transform` for the elements; its error ends the sequence (RxSwift).
  public func map<Result: Sendable>(_ transform: @escaping @Sendable (Element) throws -> Result) -> Observable<Result> {
    stage { $0.send(try transform($1)) }
  }

  /// The results of `transform` for the elements, without the `nil`s; its error ends the sequence (RxSwift).
  public func compactMap<Result: Sendable>(
    _ transform: @escaping @Sendable (Element) throws -> Result?
  ) -> Observable<Result> {
    stage { stage, element in
      if let result = try transform(element) { stage.send(result) }
    }
  }

  /// The elements, each with its index (RxSwift).
  public func enumerated() -> Observable<(index: Int, element: Element)> {
    stage(0) { stage, element in
      let index = stage.state
      stage.state = index + 1
      stage.send((index, element))
    }
  }

  /// The results of `resultSelector` for `object` and each element. The object is held weakly; the first element after
  /// its end completes the sequence (RxSwift).
  public func withUnretained<Object: AnyObject & Sendable, Output: Sendable>(
    _ object: Object, resultSelector: @escaping @Sendable ((Object, Element)) -> Output
  ) -> Observable<Output> {
    stage { [weak object] stage, element in
      if let object {
        stage.send(resultSelector((object, element)))
      } else {
        stage.finish()
      }
    }
  }

  /// `object`, held weakly, with each element. The first element after its end completes the sequence (RxSwift).
  public func withUnretained<Object: AnyObject & Sendable>(_ object: Object) -> Observable<(Object, Element)> {
    withUnretained(object) { $0 }
  }

  /// The events of this sequence as elements, an error too; then it completes (RxSwift).
  public func materialize() -> Observable<Event<Element>> {
    lift { downstream in
      Stage<Element, Event<Element>, Void>(
        downstream, (),
        onEnd: { stage, error in
          stage.send(error.map { .error($0) } ?? .completed)
          // The receiver may have disposed of it.
          if !stage.isDisposed { stage.finish() }
        },
        step: { stage, element in stage.send(.next(element)) })
    }
  }
}

extension ObservableType where Element: EventConvertible {
  /// The sequence whose events this one sends as elements; the opposite of `materialize` (RxSwift).
  public func dematerialize() -> Observable<Element.Element> {
    stage { stage, element in
      switch element.event {
      case .next(let element): stage.send(element)
      case .error(let error): stage.finish(error)
      case .completed: stage.finish()
      }
    }
  }
}

/// Makes values of data (RxSwift): Foundation's `JSONDecoder` in the module RxFoundation, or any other format's.
///
///     struct LineDecoder: DataDecoder {
///       func decode<Item: Decodable>(_ type: Item.Type, from data: String) throws -> Item { … }
///     }
public protocol DataDecoder<Input>: Sendable {
  /// The data to decode.
  associatedtype Input

  /// The value of the given type that `data` says.
  func decode<Item: Decodable>(_ type: Item.Type, from data: Input) throws -> Item
}

extension ObservableType {
  /// The values that `decoder` makes of the elements; its error ends the sequence (RxSwift).
  public func decode<Item: Decodable & Sendable, Decoder: DataDecoder>(
    type: Item.Type, decoder: Decoder
  ) -> Observable<Item> where Decoder.Input == Element {
    map { try decoder.decode(type, from: $0) }
  }
}
