/// A producer that builds its part of every chain with a closure.
///
/// `@unchecked Sendable`: `build` is `@Sendable` and never changes.
final class OperatorProducer<Element: Sendable>: Producer<Element>, @unchecked Sendable {
  private let build: @Sendable (Sink<Element>) -> any Disposable

  /// - Parameter build: Makes a sink before the one it is given, subscribes it to its sources, and returns it.
  init(_ build: @escaping @Sendable (Sink<Element>) -> any Disposable) {
    self.build = build
  }

  override func run(_ downstream: Sink<Element>) -> any Disposable {
    build(downstream)
  }
}

extension ObservableType {
  /// The sequence that the sink made by `makeSink` makes of this one, for operators that need more than a ``Stage``.
  func lift<Output: Sendable>(
    _ makeSink: @escaping @Sendable (Sink<Output>) -> Sink<Element>
  ) -> Observable<Output> {
    let source = asObservable()
    return OperatorProducer { downstream in
      let sink = makeSink(downstream)
      sink.setUpstream(source.subscribe(sink))
      return sink
    }
  }
}
