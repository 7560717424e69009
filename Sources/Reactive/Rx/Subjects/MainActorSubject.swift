/// Sends elements to whoever is subscribed, on the main actor and without a lock: what a delegate proxy makes of the
/// calls it gets.
///
/// Subscriptions may come and end on any thread; off the main queue they take effect as soon as that is free.
///
/// `@unchecked Sendable`: all state is the main actor's.
package final class MainActorSubject<Element: Sendable>: Observable<Element>, AnyMainActorSubject, @unchecked Sendable {
  // No access lasts while a sink is called, so none needs to be checked for overlap.
  @MainActor @exclusivity(unchecked) private var sinks = SinkList()
  // Calls of `next` under way, and the sinks that were removed meanwhile, which may include the one that is being called:
  // as they are kept until it returns, `next` need not count a reference, the dearest part of a call.
  @MainActor @exclusivity(unchecked) private var deliveries = 0
  @MainActor @exclusivity(unchecked) private var leaving: ContiguousArray<AnySink> = []
  @MainActor private var isCompleted = false
  @MainActor private let observationDidChange: @MainActor () -> Void

  /// A subject without subscriptions; `observationDidChange` is called after the first one came and the last one went.
  @MainActor
  package init(observationDidChange: @escaping @MainActor () -> Void) {
    self.observationDidChange = observationDidChange
  }

  /// Whether anybody is subscribed.
  @MainActor package var hasObservers: Bool { !sinks.entries.isEmpty }

  /// Sends `element` to all subscriptions, in their order. What is sent meanwhile is delivered at once, as the calls
  /// that lead here are nested just so.
  @MainActor
  package func next(_ element: Element) {
    if sinks.entries.count == 1 {
      deliveries += 1
      // Borrows the list's reference, and gives it back.
      let sink = Unmanaged.passUnretained(sinks.entries[0].sink).takeRetainedValue()
      send(element, to: sink)
      _ = Unmanaged.passRetained(sink)
      deliveries -= 1
      if deliveries == 0, !leaving.isEmpty { leaving.removeAll() }
    } else {
      for entry in sinks.entries { send(element, to: entry.sink) }
    }
  }

  // Only sinks of `Element` are ever subscribed.
  @MainActor
  @inline(__always)
  private func send(_ element: Element, to sink: AnySink) {
    if !sink.isDisposed { unsafeDowncast(sink, to: Sink<Element>.self).next(element) }
  }

  /// Completes all subscriptions, and every later one right away.
  @MainActor
  package func complete() {
    guard !isCompleted else { return }
    isCompleted = true
    for entry in sinks.removeAll() {
      keepDuringDelivery(entry.sink)
      if !entry.sink.isDisposed { unsafeDowncast(entry.sink, to: Sink<Element>.self).completed() }
    }
  }

  override func subscribe(_ sink: Sink<Element>) -> any Disposable {
    let subscription = MainActorSubscription(self)
    MainQueue.run { subscription.key = self.add(sink) }
    return subscription
  }

  @MainActor
  private func add(_ sink: Sink<Element>) -> UInt64? {
    guard !sink.isDisposed else { return nil }
    guard !isCompleted else {
      sink.completed()
      return nil
    }
    let key = sinks.insert(sink)
    if sinks.entries.count == 1 { observationDidChange() }
    return key
  }

  @MainActor
  fileprivate func remove(_ key: UInt64) {
    // The sink goes away, and whatever it holds, when the list is in order again.
    guard let sink = sinks.remove(key) else { return }
    keepDuringDelivery(sink)
    if sinks.entries.isEmpty { observationDidChange() }
    withExtendedLifetime(sink) {}
  }

  @MainActor
  private func keepDuringDelivery(_ sink: AnySink) {
    if deliveries > 0 { leaving.append(sink) }
  }
}

/// What can be asked of a ``MainActorSubject`` of any element type.
@MainActor
package protocol AnyMainActorSubject: AnyObject {
  /// Whether anybody is subscribed.
  var hasObservers: Bool { get }

  /// Completes all subscriptions, and every later one right away.
  func complete()
}

/// `@unchecked Sendable`: the key is the main actor's.
private final class MainActorSubscription<Element: Sendable>: DisposeBase, Disposable, @unchecked Sendable {
  private let subject: MainActorSubject<Element>
  @MainActor var key: UInt64?

  init(_ subject: MainActorSubject<Element>) {
    self.subject = subject
  }

  func dispose() {
    MainQueue.run {
      guard let key = self.key else { return }
      self.key = nil
      self.subject.remove(key)
    }
  }
}
