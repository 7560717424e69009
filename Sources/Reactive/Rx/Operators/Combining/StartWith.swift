extension ObservableType {
  /// `elements`, sent on subscription, and then this sequence (RxSwift's `startWith`).
  public func startWith(_ elements: Element...) -> Observable<Element> {
    let source = asObservable()
    return OperatorProducer { downstream in
      for element in elements {
        downstream.next(element)
      }
      return source.subscribe(downstream)
    }
  }
}
