/// A sequence that starts with ``connect()``, not with a subscription (RxSwift).
public protocol ConnectableObservableType<Element>: ObservableType {
  /// Subscribes to the source; what it returns ends that.
  func connect() -> any Disposable
}

/// A sequence that starts with ``connect()`` (RxSwift). `@unchecked Sendable`: `begin` never changes.
public final class ConnectableObservable<Element: Sendable>: Observable<Element>, ConnectableObservableType,
  @unchecked Sendable
{
  private let begin: @Sendable () -> any Disposable

  fileprivate init<Subject: SubjectType>(
    _ source: Observable<Subject.Observer.Element>, _ makeSubject: @escaping @Sendable () -> Subject
  ) where Subject.Element == Element {
    let multicast = Multicast(source: source, makeSubject: makeSubject)
    begin = { multicast.connect() }
    super.init(isImmediate: true) { multicast.subject().asObservable().subscribe($0) }
  }

  /// Subscribes to the source; what it returns ends that.
  public func connect() -> any Disposable {
    begin()
  }
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
  where Subject.Observer.Element == Element {
    ConnectableObservable(asObservable()) { subject }
  }

  /// A sequence that feeds a subject from this one once it is connected, a new subject for each connection (RxSwift).
  public func multicast<Subject: SubjectType>(
    makeSubject: @escaping @Sendable () -> Subject
  ) -> ConnectableObservable<Subject.Element> where Subject.Observer.Element == Element {
    ConnectableObservable(asObservable(), makeSubject)
  }

  /// A sequence that shares one subscription to this one through a `PublishSubject` once it is connected (RxSwift).
  public func publish() -> ConnectableObservable<Element> {
    multicast { PublishSubject() }
  }

  /// The same, replaying the last `bufferSize` elements to each new subscription (RxSwift).
  public func replay(_ bufferSize: Int) -> ConnectableObservable<Element> {
    multicast { ReplaySubject.create(bufferSize: bufferSize) }
  }

  /// The same, replaying all elements to each new subscription (RxSwift).
  public func replayAll() -> ConnectableObservable<Element> {
    multicast { ReplaySubject.createUnbounded() }
  }
}

/// The connection of a ``ConnectableObservable``. `lock` guards the variables.
private final class Multicast<Subject: SubjectType>: Sendable {
  private let source: Observable<Subject.Observer.Element>
  private let makeSubject: @Sendable () -> Subject

  private let lock = RecursiveLock()
  private nonisolated(unsafe) var current: Subject?
  // How many connections there have been; the newest has this number.
  private nonisolated(unsafe) var connections = 0
  private nonisolated(unsafe) var connection: SubscriptionHandle?

  init(source: Observable<Subject.Observer.Element>, makeSubject: @escaping @Sendable () -> Subject) {
    self.source = source
    self.makeSubject = makeSubject
  }

  func connect() -> any Disposable {
    let (handle, new) = lock.withLock { () -> (SubscriptionHandle, EndSink<Subject.Observer.Element>?) in
      if let connection { return (connection, nil) }
      connections += 1
      // As in RxSwift the connection ends before the event is sent, so that a subscription made on that event starts
      // anew.
      let new = EndSink(AnyObserver(subject().asObserver()), endsFirst: true) { [weak self, connections] in
        self?.forget(connections)
      }
      connection = new.handle
      return (new.handle, new)
    }
    if let new { _ = new.connect(source) }
    return handle
  }

  /// The subject of the connection.
  func subject() -> Subject {
    lock.withLock {
      if let current { return current }
      let subject = makeSubject()
      current = subject
      return subject
    }
  }

  private func forget(_ number: Int) {
    lock.withLock {
      guard number == connections else { return }
      connection = nil
      current = nil
    }
  }
}
