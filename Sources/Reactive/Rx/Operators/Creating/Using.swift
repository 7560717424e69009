extension ObservableType {
  /// The sequence that `observableFactory` makes of a resource, which is made for each subscription and disposed of with it
  /// (RxSwift's `using`). What either closure throws ends the sequence.
  public static func using<Resource: Disposable>(
    _ resourceFactory: @escaping @Sendable () throws -> Resource,
    observableFactory: @escaping @Sendable (Resource) throws -> Observable<Element>
  ) -> Observable<Element> {
    OperatorProducer { downstream in
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
