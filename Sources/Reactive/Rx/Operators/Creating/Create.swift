extension ObservableType {
  /// A sequence that `subscribe` produces, anew for every subscription (RxSwift's `create`).
  ///
  /// The observer may be called from any thread: events that come while another one is being delivered wait their
  /// turn, and whatever comes after a terminal event or disposal is dropped.
  ///
  /// - Parameter subscribe: Called with the observer for each subscription; what it returns is disposed when the
  ///   subscription ends.
  public static func create(
    _ subscribe: @escaping @Sendable (AnyObserver<Element>) -> any Disposable
  ) -> Observable<Element> {
    Producer { downstream in
      let sink = CreateSink(downstream)
      sink.setUpstream(subscribe(AnyObserver(sink: sink)))
      return sink
    }
  }
}

/// The observer that the closure is given.
///
/// `@unchecked Sendable`: `isStopped` is touched inside the gate only.
private final class CreateSink<Element: Sendable>: OperatorSink<Element, Element>, @unchecked Sendable {
  private let gate = SerialGate()
  private var isStopped = false

  override func next(_ element: Element) {
    guard !isDisposed else { return }
    gate.run {
      if !isStopped { downstream.next(element) }
    } orLater: {
      { self.deliver(.next(element)) }
    }
  }

  // Others may still call the observer.
  override func sourceGone() {}

  override func error(_ error: any Error) {
    gate.run { self.deliver(.error(error)) }
  }

  override func completed() {
    gate.run { self.deliver(.completed) }
  }

  private func deliver(_ event: Event<Element>) {
    guard !isStopped, !isDisposed else { return }
    if case .next(let element) = event { return downstream.next(element) }
    isStopped = true
    downstream.on(event)
    dispose()
  }
}

extension ObservableType {
  /// The sequence that `observableFactory` makes of a resource, which is made for each subscription and disposed of with it
  /// (RxSwift's `using`). What either closure throws ends the sequence.
  public static func using<Resource: Disposable>(
    _ resourceFactory: @escaping @Sendable () throws -> Resource,
    observableFactory: @escaping @Sendable (Resource) throws -> Observable<Element>
  ) -> Observable<Element> {
    Producer { downstream in
      var made: Resource?
      do {
        let resource = try resourceFactory()
        made = resource
        return Disposables.create(try observableFactory(resource).subscribe(downstream), resource)
      } catch {
        downstream.error(error)
        return made ?? Disposables.create()
      }
    }
  }
}
