import Rx
import Synchronization

extension Observable {
  /// Subscribes with closures that belong to the main actor: called at once for what comes on the main queue, and a
  /// little later, in order, for what does not (a disposal on another thread, a scheduler that a test put there).
  func subscribeOnMainActor(
    onNext: (@MainActor (Element) -> Void)?,
    onCompleted: (@MainActor () -> Void)?,
    onDisposed: (@MainActor () -> Void)?
  ) -> any Disposable {
    let gate = MainActorGate()
    return subscribe(
      onNext: onNext.map { gate.open($0) }, onError: nil, onCompleted: onCompleted.map { gate.open($0) },
      onDisposed: onDisposed.map { gate.open($0) })
  }

  /// Subscribes with closures that belong to the main actor and get `object`, which is held weakly; when it is gone,
  /// nothing is called.
  func subscribeOnMainActor<Object: AnyObject & Sendable>(
    with object: Object,
    onNext: (@MainActor (Object, Element) -> Void)?,
    onCompleted: (@MainActor (Object) -> Void)?,
    onDisposed: (@MainActor (Object) -> Void)?
  ) -> any Disposable {
    subscribeOnMainActor(
      onNext: { [weak object] element in
        if let object { onNext?(object, element) }
      },
      onCompleted: { [weak object] in
        if let object { onCompleted?(object) }
      },
      onDisposed: { [weak object] in
        if let object { onDisposed?(object) }
      }
    )
  }
}

/// The way of one subscription's events to the main actor: at once from the main queue, unless some are on their way
/// there already, which then come first.
private final class MainActorGate: Sendable {
  private let waiting = Atomic<Int>(0)

  /// `action` for any thread. Allocates nothing when it is called at once.
  func open<Value: Sendable>(_ action: @escaping @MainActor (Value) -> Void) -> @Sendable (Value) -> Void {
    { value in
      if self.isOpen {
        MainActor.assumeIsolated { action(value) }
      } else {
        self.send { action(value) }
      }
    }
  }

  /// `action` for any thread.
  func open(_ action: @escaping @MainActor () -> Void) -> @Sendable () -> Void {
    {
      if self.isOpen {
        MainActor.assumeIsolated(action)
      } else {
        self.send(action)
      }
    }
  }

  private var isOpen: Bool {
    MainQueue.isCurrent && waiting.load(ordering: .acquiring) == 0
  }

  private func send(_ action: @escaping @MainActor @Sendable () -> Void) {
    waiting.wrappingAdd(1, ordering: .relaxed)
    MainQueue.runLater {
      action()
      self.waiting.wrappingSubtract(1, ordering: .releasing)
    }
  }
}
