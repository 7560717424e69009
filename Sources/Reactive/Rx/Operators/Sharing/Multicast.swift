/// A sequence that starts with ``connect()``, not with a subscription (RxSwift's `ConnectableObservableType`).
public protocol ConnectableObservableType<Element>: ObservableType {
  /// Subscribes to the source; what it returns ends that.
  func connect() -> any Disposable
}

/// A sequence that starts with ``connect()`` (RxSwift's `ConnectableObservable`).
///
/// `@unchecked Sendable`: it has no state; its one subclass has a lock for its own.
public class ConnectableObservable<Element: Sendable>: Observable<Element>, ConnectableObservableType,
  @unchecked Sendable
{
  /// Subscribes to the source; what it returns ends that.
  public func connect() -> any Disposable {
    preconditionFailure("a connectable observable overrides connect")
  }
}

extension ObservableType {
  /// A sequence made by `selector` from one shared subscription to this one, through a subject made by
  /// `subjectSelector`, anew for every subscription (RxSwift's `multicast`).
  public func multicast<Subject: SubjectType, Result: Sendable>(
    _ subjectSelector: @escaping @Sendable () throws -> Subject,
    selector: @escaping @Sendable (Observable<Subject.Element>) throws -> Observable<Result>
  ) -> Observable<Result> where Subject.Observer.Element == Element {
    let source = asObservable()
    return Producer { downstream in
      do {
        let subject = try subjectSelector()
        let connectable = MulticastConnectable(source: source, makeSubject: { subject })
        let subscription = try selector(connectable).subscribe(downstream)
        return Disposables.create(subscription, connectable.connect())
      } catch {
        downstream.error(error)
        return Disposables.create()
      }
    }
  }

  /// A sequence that feeds `subject` from this one once it is connected (RxSwift's `multicast`).
  public func multicast<Subject: SubjectType>(_ subject: Subject) -> ConnectableObservable<Subject.Element>
  where Subject.Observer.Element == Element {
    MulticastConnectable(source: asObservable(), makeSubject: { subject })
  }

  /// A sequence that feeds a subject from this one once it is connected, a new subject for each connection (RxSwift's
  /// `multicast(makeSubject:)`).
  public func multicast<Subject: SubjectType>(
    makeSubject: @escaping @Sendable () -> Subject
  ) -> ConnectableObservable<Subject.Element> where Subject.Observer.Element == Element {
    MulticastConnectable(source: asObservable(), makeSubject: makeSubject)
  }

  /// A sequence that shares one subscription to this one through a `PublishSubject` once it is connected (RxSwift's
  /// `publish`).
  public func publish() -> ConnectableObservable<Element> {
    multicast { PublishSubject() }
  }

  /// The same, replaying the last `bufferSize` elements to each new subscription (RxSwift's `replay`).
  public func replay(_ bufferSize: Int) -> ConnectableObservable<Element> {
    multicast { ReplaySubject.create(bufferSize: bufferSize) }
  }

  /// The same, replaying all elements to each new subscription (RxSwift's `replayAll`).
  public func replayAll() -> ConnectableObservable<Element> {
    multicast { ReplaySubject.createUnbounded() }
  }
}

/// `@unchecked Sendable`: `subject`, `connection` and `connections` are guarded by `lock`.
private final class MulticastConnectable<Subject: SubjectType>: ConnectableObservable<Subject.Element>,
  @unchecked Sendable
{
  private let source: Observable<Subject.Observer.Element>
  private let makeSubject: @Sendable () -> Subject

  private let lock = RecursiveLock()
  private var subject: Subject?
  // How many connections there have been; the newest has this number.
  private var connections = 0
  private var connection: SubscriptionHandle?

  init(source: Observable<Subject.Observer.Element>, makeSubject: @escaping @Sendable () -> Subject) {
    self.source = source
    self.makeSubject = makeSubject
  }

  override func connect() -> any Disposable {
    let (handle, new) = lock.withLock { () -> (SubscriptionHandle, ObserverSink<Subject.Observer.Element>?) in
      if let connection { return (connection, nil) }
      connections += 1
      // As in RxSwift the connection ends before the event is sent, so that a subscription made on that event starts anew.
      let new = ObserverSink(AnyObserver(currentSubject().asObserver()), endsFirst: true) {
        [weak self, connections] in
        self?.forget(connections)
      }
      connection = new.handle
      return (new.handle, new)
    }
    if let new { _ = new.connect(source) }
    return handle
  }

  override func subscribe(_ sink: Sink<Subject.Element>) -> any Disposable {
    lock.withLock { currentSubject() }.asObservable().subscribe(sink)
  }

  private func currentSubject() -> Subject {
    if let subject { return subject }
    let subject = makeSubject()
    self.subject = subject
    return subject
  }

  private func forget(_ number: Int) {
    lock.withLock {
      guard number == connections else { return }
      connection = nil
      subject = nil
    }
  }
}
