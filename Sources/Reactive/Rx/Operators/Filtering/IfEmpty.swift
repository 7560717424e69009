extension ObservableType {
  /// This sequence, or `default` if it completes without an element (RxSwift's `ifEmpty(default:)`).
  public func ifEmpty(default: Element) -> Observable<Element> {
    ifEmpty(switchTo: .just(`default`))
  }

  /// This sequence, or `other` if it completes without an element (RxSwift's `ifEmpty(switchTo:)`).
  public func ifEmpty(switchTo other: Observable<Element>) -> Observable<Element> {
    let source = asObservable()
    return OperatorProducer { downstream in
      IfEmptySink(downstream, other).connect(source)
    }
  }
}

/// `@unchecked Sendable`: see ``Sink``.
private final class IfEmptySink<Element: Sendable>: OperatorSink<Element, Element>, @unchecked Sendable {
  private let other: Observable<Element>
  private let sourceSubscription = SingleAssignmentDisposable()
  private let otherSubscription = SingleAssignmentDisposable()
  private var isEmpty = true

  init(_ downstream: Sink<Element>, _ other: Observable<Element>) {
    self.other = other
    super.init(downstream)
  }

  func connect(_ source: Observable<Element>) -> Self {
    sourceSubscription.setDisposable(source.subscribe(self))
    setUpstream(Disposables.create(sourceSubscription, otherSubscription))
    return self
  }

  override func next(_ element: Element) {
    isEmpty = false
    downstream.next(element)
  }

  override func completed() {
    guard isEmpty else { return downstream.completed() }
    sourceSubscription.dispose()
    otherSubscription.setDisposable(other.subscribe(downstream))
  }
}
