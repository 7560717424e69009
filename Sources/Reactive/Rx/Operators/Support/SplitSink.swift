/// The source's end of an operator that splits its source into sequences: `groupBy` and `window`.
///
/// These sequences go on when the subscription to the operator is disposed of. So this sink does not end with
/// it: it lets go of the stage downstream, and lives until the last subscription to one of the sequences has ended.
///
/// `@unchecked Sendable`: `outlet` and `references` have locks of their own; subclasses guard their state.
class SplitSink<Input: Sendable, Part: Sendable>: Sink<Input>, @unchecked Sendable {
  private struct Outlet: Sendable {
    var downstream: Sink<Part>?
  }

  private let outlet: Locked<Outlet>
  private let connection = SingleAssignmentDisposable()
  private let references: RefCountDisposable

  init(_ downstream: Sink<Part>) {
    outlet = Locked(Outlet(downstream: downstream))
    references = RefCountDisposable(disposable: connection)
    super.init()
  }

  /// Subscribes to `source`. Returns the subscription to the operator.
  final func connect(_ source: Observable<Input>) -> any Disposable {
    // A disposable in place of the sink, so that the last reference releases it and everything that the sink holds.
    connection.setDisposable(Disposables.create(source.subscribe(self), Disposables.create(with: dispose)))
    return Disposables.create { [self] in
      takeOutlet()
      references.dispose()
    }
  }

  /// Sends a part of the source downstream, if there still is a stage downstream.
  final func send(_ part: Part) {
    outlet.withLock { $0.downstream }?.next(part)
  }

  /// Sends a terminal event downstream.
  final func end(_ event: Event<Part>) {
    takeOutlet()?.on(event)
    references.dispose()
  }

  /// The elements of `subject`, a part. A subscription to them keeps the source subscribed to.
  final func part<Element: Sendable>(_ subject: PublishSubject<Element>) -> Observable<Element> {
    let references = references
    return Producer { downstream in
      let reference = references.retain()
      return Disposables.create(subject.subscribe(downstream), reference)
    }
  }

  override func sourceGone() {
    takeOutlet()?.sourceGone()
    dispose()
  }

  /// It goes away outside of the lock.
  @discardableResult
  private final func takeOutlet() -> Sink<Part>? {
    outlet.withLock { $0.downstream.take() }
  }
}
