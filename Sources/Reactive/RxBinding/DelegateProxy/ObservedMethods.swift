public import Rx

/// The methods of one proxy that have subscribers, and these subscribers.
@MainActor
public final class ObservedMethods {
  /// When a stream has its elements: before or after the user's delegate is called.
  public enum Stage: Sendable {
    /// Before.
    case sentMessage
    /// After.
    case methodInvoked
  }

  @usableFromInline
  struct Entry {
    @usableFromInline let name: String
    @usableFromInline let stage: Stage
    /// A `PublishSubject` of the method's arguments.
    @usableFromInline let subject: AnyObject
    let arguments: Any.Type
    let complete: @MainActor () -> Void
  }

  // There are few, so looking through them is cheaper than hashing.
  @usableFromInline var entries: [Entry] = []
  private var isCompleted = false
  // The thread of the last call. Comparing threads takes a nanosecond or two; asking which queue this is takes much
  // longer.
  private var checkedThread: UInt?

  /// Called when a method has got its first observer or lost its last one, but not when all are completed.
  var onChange: (@MainActor () -> Void)?

  init() {}

  /// The observers of `method` at `stage`, if it has any.
  @inlinable
  public func observers<Delegate, Arguments>(
    of method: DelegateMethod<Delegate, Arguments>, _ stage: Stage
  ) -> PublishSubject<Arguments>? {
    for index in entries.indices where entries[index].stage == stage && entries[index].name == method.name {
      if let subject = entries[index].subject as? PublishSubject<Arguments> { return subject }
      #if DEBUG
        warn(ofOtherArguments: Arguments.self, of: method.name)
      #endif
    }
    return nil
  }

  #if DEBUG
    private var warned: Set<String> = []

    /// Says, once, that an observed method has no elements because its default implementation is called.
    func warnOfDefault(of method: String, in proxy: Any.Type) {
      let words = method.split { !$0.isLetter && !$0.isNumber }.map { $0.lowercased() }
      let observed = entries.first { entry in
        let name = entry.name.prefix { $0 != "(" }.lowercased()
        return words.contains { $0.hasSuffix(name) }
      }
      guard let observed, warned.insert(method).inserted else { return }
      DelegateProxyFault.warn(
        """
        \(observed.name) is observed and never has an element: \(proxy) does not write \(method), so its default \
        implementation is called. Write the method with invoke(.\(observed.name), …).
        """)
    }

    /// Says, once, that a method is observed by a key with other arguments than those of the key that it is invoked with.
    @usableFromInline
    func warn(ofOtherArguments arguments: Any.Type, of method: String) {
      let named = entries.filter { $0.name == method }
      guard !named.contains(where: { $0.arguments == arguments }), warned.insert(method).inserted else { return }
      DelegateProxyFault.warn(
        """
        \(method) is observed with the arguments \(named[0].arguments), and invoked with \(arguments). Use one key for both; \
        if these are two methods, give one of the keys another name.
        """)
    }
  #endif

  /// Ends the process when a method of the proxy was called off the main actor. The compiler cannot see such a call
  /// when it comes from a class that was compiled without the checks of Swift 6.
  ///
  /// A debug build looks at every call. A release build looks at a call only when it comes from another thread than the
  /// one before; after an asynchronous `main()` the main actor may have left that thread since.
  @usableFromInline
  func checkIsolation(of method: String, in proxy: Any.Type) {
    assert(MainQueue.isCurrent, Self.isolationFault(method, proxy))
    let thread = CurrentThread.identity
    guard thread != checkedThread else { return }
    // Unlike a precondition, it has its message in a release build, too.
    guard MainQueue.isCurrent else { DelegateProxyFault.raise(Self.isolationFault(method, proxy)) }
    checkedThread = thread
  }

  private nonisolated static func isolationFault(_ method: String, _ proxy: Any.Type) -> String {
    """
    \(proxy) was called off the main actor, with \(method). A delegate that is called on another queue cannot \
    be a DelegateProxy: write a class without an actor, with a subject for each method.
    """
  }

  /// The calls of `method`. Subscriptions may come and end on any thread; off the main queue they take effect later.
  func stream<Delegate, Arguments>(
    of method: DelegateMethod<Delegate, Arguments>, _ stage: Stage
  ) -> Observable<Arguments> {
    Observable.using {
      MainActor.assumeIsolated { self.observe(method, stage) }
    } observableFactory: {
      $0.calls
    }
    .subscribe(on: ConcurrentMainScheduler.instance)
  }

  /// Completes all streams, those that are subscribed to later too.
  func complete() {
    isCompleted = true
    let observed = entries
    entries = []
    for entry in observed { entry.complete() }
  }

  /// The calls of `method` for one subscription, which begins now.
  private func observe<Delegate, Arguments>(
    _ method: DelegateMethod<Delegate, Arguments>, _ stage: Stage
  ) -> Observation<Arguments> {
    guard !isCompleted else { return Observation(.empty()) {} }
    let existing = entries.lazy.filter { $0.stage == stage && $0.name == method.name }
      .compactMap { $0.subject as? PublishSubject<Arguments> }.first
    let subject = existing ?? PublishSubject()
    if existing == nil {
      entries.append(
        Entry(
          name: method.name, stage: stage, subject: subject, arguments: Arguments.self,
          complete: { subject.onCompleted() }))
      onChange?()
    }
    return Observation(subject) { MainQueue.run { self.removeIfUnobserved(subject) } }
  }

  private func removeIfUnobserved<Arguments>(_ subject: PublishSubject<Arguments>) {
    guard !subject.hasObservers, let index = entries.firstIndex(where: { $0.subject === subject }) else { return }
    entries.remove(at: index)
    onChange?()
  }
}

/// The calls of a method for one subscription, and what ends that. No stage stands between subject and subscriber.
private final class Observation<Arguments: Sendable>: Disposable {
  let calls: Observable<Arguments>
  private let end: @Sendable () -> Void

  init(_ calls: Observable<Arguments>, end: @escaping @Sendable () -> Void) {
    self.calls = calls
    self.end = end
  }

  func dispose() { end() }
}
