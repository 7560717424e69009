import Synchronization

/// How a subject ended.
enum SubjectEnd: Sendable {
  case completed
  case error(any Error)
}

/// A sink that is being sent old elements.
///
/// `@unchecked Sendable`: `missed` is guarded by the lock of the core that it joins.
final class Joiner: @unchecked Sendable {
  let sink: AnySink
  let thread: UInt
  var missed: [@Sendable (AnySink) -> Void] = []

  init(_ sink: AnySink, _ thread: UInt) {
    self.sink = sink
    self.thread = thread
  }
}

/// The part of ``SubjectCore`` that does not depend on the type of the elements.
///
/// `@unchecked Sendable`: `state` is guarded by its mutex.
class AnySubjectCore: @unchecked Sendable {
  /// How a subscription begins.
  enum Start {
    case live(UInt64)
    case joining(Joiner)
    case ended(SubjectEnd)
  }

  struct State: Sendable {
    var sinks = SinkList()
    var joiners: [Joiner] = []
    var end: SubjectEnd?
    var isDisposed = false

    var isOver: Bool {
      end != nil || isDisposed
    }

    /// Whom to send an event now. A joiner whose own old elements led to it on `thread` is sent it at once, as
    /// everybody else; other joiners later.
    func entries(
      on thread: UInt, send: @escaping @Sendable (AnySink) -> Void
    ) -> ContiguousArray<SinkList.Entry> {
      var entries = sinks.entries
      for joiner in joiners {
        if joiner.thread == thread, joiner.missed.isEmpty {
          entries.append(SinkList.Entry(key: .max, sink: joiner.sink))
        } else {
          joiner.missed.append(send)
        }
      }
      return entries
    }
  }

  final let gate = SerialGate()
  final let state = Locked(State())

  final var hasObservers: Bool {
    state.withLock { !$0.sinks.entries.isEmpty || !$0.joiners.isEmpty }
  }

  final var isDisposed: Bool {
    state.withLock { $0.isDisposed }
  }

  /// Sends a joiner what it has missed, until there is nothing more, and makes it one of the sinks.
  final func finish(_ joiner: Joiner) -> any Disposable {
    while true {
      var key: UInt64?
      let missed = state.withLock { state in
        let missed = joiner.missed
        joiner.missed = []
        if missed.isEmpty {
          state.joiners.removeAll { $0 === joiner }
          if !state.isOver { key = state.sinks.insert(joiner.sink) }
        }
        return missed
      }
      if missed.isEmpty {
        return key.map { SubjectSubscription(core: self, key: $0) } ?? Disposables.create()
      }
      for send in missed { send(joiner.sink) }
    }
  }

  final func unsubscribe(_ key: UInt64) {
    // The sink goes away outside of the lock, and whatever it holds with it.
    _ = state.withLock { $0.sinks.remove(key) }
  }

  final func dispose() {
    // As above, what is let go of goes away outside of the lock.
    _ = state.withLock { state in
      state.isDisposed = true
      state.end = nil
      return (forget(), state.sinks.removeAll())
    }
  }

  /// Gives up the elements. Called under the lock; what it returns goes away after it.
  func forget() -> AnyObject? {
    nil
  }
}

/// Ends a subscription. The removal of a key that is gone has no effect, so this needs no state of its own.
final class SubjectSubscription: DisposeBase, Disposable, @unchecked Sendable {
  private let core: AnySubjectCore
  private let key: UInt64

  init(core: AnySubjectCore, key: UInt64) {
    self.core = core
    self.key = key
  }

  func dispose() {
    core.unsubscribe(key)
  }
}
