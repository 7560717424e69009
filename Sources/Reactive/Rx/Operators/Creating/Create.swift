extension ObservableType {
  /// A sequence that `subscribe` produces, anew for every subscription (RxSwift).
  ///
  /// The observer may be called from any thread: events that come while another one is being delivered wait their turn,
  /// so a receiver must not wait for them. Whatever comes after a terminal event or disposal is dropped. The result of
  /// `subscribe` is disposed of with the subscription.
  public static func create(
    _ subscribe: @escaping @Sendable (AnyObserver<Element>) -> any Disposable
  ) -> Observable<Element> {
    Observable { downstream in
      let gate = SerialGate()
      // The state, which is touched inside of the gate only, is whether a terminal event was sent.
      let stage = Stage<Element, Element, Bool>(
        downstream, false,
        onEnd: { stage, error in
          gate.run {
            guard !stage.state, !stage.isDisposed else { return }
            stage.state = true
            stage.finish(error)
          }
        },
        // Others may still call the observer.
        onGone: { _ in },
        step: { stage, element in
          gate.run {
            if !stage.state { stage.send(element) }
          } orLater: {
            { if !stage.state, !stage.isDisposed { stage.send(element) } }
          }
        })
      stage.setUpstream(subscribe(AnyObserver(sink: stage)))
      return stage
    }
  }

  /// The sequence that `observableFactory` makes of a resource, which is made for each subscription and disposed of
  /// with it (RxSwift). An error of either ends the sequence.
  public static func using<Resource: Disposable>(
    _ resourceFactory: @escaping @Sendable () throws -> Resource,
    observableFactory: @escaping @Sendable (Resource) throws -> Observable<Element>
  ) -> Observable<Element> {
    Observable { downstream in
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
