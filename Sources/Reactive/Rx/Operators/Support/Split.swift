/// The source's end of an operator that splits its source into sequences: `groupBy` and `window`.
///
/// These sequences go on when the subscription to the operator is disposed of. So it lets go of the stage downstream,
/// but not of the source, to which it is subscribed until the last subscription to one of the sequences has ended.
final class Split<Part: Sendable>: Sendable {
  private let downstream: Locked<Sink<Part>?>
  private let connection: SingleAssignmentDisposable
  private let references: RefCountDisposable

  init(_ downstream: Sink<Part>) {
    self.downstream = Locked(downstream)
    connection = SingleAssignmentDisposable()
    references = RefCountDisposable(disposable: connection)
  }

  /// Subscribes `sink` to `source`. Returns the subscription to the operator.
  func connect<Input>(_ sink: ClosureSink<Input>, to source: Observable<Input>) -> any Disposable {
    // A disposable in place of the sink, so that the last reference releases it and everything that the sink holds.
    connection.setDisposable(Disposables.create(source.subscribe(sink), Disposables.create(with: sink.dispose)))
    return Disposables.create {
      self.takeDownstream()
      self.references.dispose()
    }
  }

  /// Sends a part of the source downstream, if there still is a stage downstream.
  func send(_ part: Part) { downstream.withLock { $0 }?.next(part) }

  /// Sends the end downstream.
  func end(_ error: (any Error)?) {
    takeDownstream()?.end(error)
    references.dispose()
  }

  /// The elements of `subject`, a part. A subscription to them keeps the source subscribed to.
  func part<Element: Sendable>(_ subject: PublishSubject<Element>) -> Observable<Element> {
    let references = references
    return Observable { downstream in
      let reference = references.retain()
      return Disposables.create(subject.subscribe(downstream), reference)
    }
  }

  /// The source sends nothing any more. Its subscription goes now: the parts let go of their references without a word.
  func sourceGone() {
    takeDownstream()?.sourceGone()
    connection.dispose()
  }

  /// It goes away outside of the lock.
  @discardableResult
  private func takeDownstream() -> Sink<Part>? { downstream.withLock { $0.take() } }
}
