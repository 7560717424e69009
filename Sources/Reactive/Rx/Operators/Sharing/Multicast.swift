/// A sequence that starts with ``connect()``, not with a subscription (RxSwift).
public protocol ConnectableObservableType<Element>: ObservableType {
  /// Subscribes to the source; what it returns ends that.
  func connect() -> any Disposable
}

/// A sequence that starts with ``connect()`` (RxSwift). `@unchecked Sendable`: the closures never change.
public final class ConnectableObservable<Element: Sendable>: Observable<Element>, ConnectableObservableType,
  @unchecked Sendable
{
  private let begin: @Sendable () -> any Disposable
  /// The subject of the connection, or of the next one, and how many connections have ended before.
  let current: @Sendable () -> (source: Observable<Element>, round: Int?)

  fileprivate init<Subject: SubjectType>(
    _ source: Observable<Subject.Observer.Element>, _ makeSubject: @escaping @Sendable () -> Subject
  ) where Subject.Element == Element {
    let multicast = Multicast(source: source, makeSubject: makeSubject)
    let current: @Sendable () -> (source: Observable<Element>, round: Int?) = {
      let (subject, ended) = multicast.current()
      return (subject.asObservable(), ended)
    }
    self.current = current
    begin = { multicast.connect() }
    super.init(isImmediate: true) { current().source.subscribe($0) }
  }

  /// Subscribes to the source; what it returns ends that.
  public func connect() -> any Disposable { begin() }
}

extension ObservableType {
  /// A sequence made by `selector` from one shared subscription to this one, through a subject made by
  /// `subjectSelector`, anew for every subscription (RxSwift).
  public func multicast<Subject: SubjectType, Result: Sendable>(
    _ subjectSelector: @escaping @Sendable () throws -> Subject,
    selector: @escaping @Sendable (Observable<Subject.Element>) throws -> Observable<Result>
  ) -> Observable<Result> where Subject.Observer.Element == Element {
    let source = asObservable()
    return Observable { downstream in
      do {
        let subject = try subjectSelector()
        let connectable = ConnectableObservable(source) { subject }
        let subscription = try selector(connectable).subscribe(downstream)
        return Disposables.create(subscription, connectable.connect())
      } catch {
        downstream.error(error)
        return Disposables.create()
      }
    }
  }

  /// A sequence that feeds `subject` from this one once it is connected (RxSwift).
  public func multicast<Subject: SubjectType>(_ subject: Subject) -> ConnectableObservable<Subject.Element>
  where Subject.Observer.Element == Element { ConnectableObservable(asObservable()) { subject } }

  /// A sequence that feeds a subject from this one once it is connected, a new subject for each connection (RxSwift).
  public func multicast<Subject: SubjectType>(
    makeSubject: @escaping @Sendable () -> Subject
  ) -> ConnectableObservable<Subject.Element> where Subject.Observer.Element == Element {
    ConnectableObservable(asObservable(), makeSubject)
  }

  /// A sequence that shares one subscription to this one through a `PublishSubject` once it is connected (RxSwift).
  public func publish() -> ConnectableObservable<Element> { multicast { PublishSubject() } }

  /// The same, replaying the last `bufferSize` elements to each new subscription (RxSwift).
  public func replay(_ bufferSize: Int) -> ConnectableObservable<Element> {
    multicast { ReplaySubject.create(bufferSize: bufferSize) }
  }

  /// The same, replaying all elements to each new subscription (RxSwift).
  public func replayAll() -> ConnectableObservable<Element> { multicast { ReplaySubject.createUnbounded() } }
}

/// The connection of a ``ConnectableObservable``.
private final class Multicast<Subject: SubjectType>: Sendable {
  private struct State: Sendable {
    var subject: Subject?
    var connection: SubscriptionHandle?
    /// How many connections have ended.
    var ended = 0
  }

  private let source: Observable<Subject.Observer.Element>
  private let makeSubject: @Sendable () -> Subject
  private let state = Locked(State())

  init(source: Observable<Subject.Observer.Element>, makeSubject: @escaping @Sendable () -> Subject) {
    self.source = source
    self.makeSubject = makeSubject
  }

  func connect() -> any Disposable {
    while true {
      let (subject, ended) = current()
      // As in RxSwift the connection ends before the event is sent, so that a subscription made on that event starts
      // anew.
      let new = EndSink(AnyObserver(subject.asObserver()), endsFirst: true) { [weak self] in self?.forget(ended) }
      let (connection, isNew) = state.withLock { state -> (SubscriptionHandle?, Bool) in
        if let connection = state.connection { return (connection, false) }
        guard ended == state.ended else { return (nil, false) }
        state.connection = new.handle
        return (new.handle, true)
      }
      if isNew { return new.connect(source) }
      if let connection { return connection }
    }
  }

  /// The subject of the connection, or of the next one, and how many connections have ended before.
  func current() -> (subject: Subject, ended: Int) {
    if let subject = state.withLock({ state in state.subject.map { ($0, state.ended) } }) { return subject }
    let new = makeSubject()
    return state.withLock { state in
      let subject = state.subject ?? new
      state.subject = subject
      return (subject, state.ended)
    }
  }

  private func forget(_ ended: Int) {
    // They go away outside of the lock.
    _ = state.withLock { state in
      guard ended == state.ended else { return (Subject?.none, SubscriptionHandle?.none) }
      defer { state = State(ended: ended + 1) }
      return (state.subject, state.connection)
    }
  }
}
