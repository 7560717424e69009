import Synchronization

/// An observer that sets something on an object (RxCocoa's `Binder`).
///
/// The object is held weakly: when it is gone, elements are dropped. An `error` event is a programmer's fault, as there
/// is nothing that an object could do with it: it traps in debug builds, and is logged on standard error in release
/// builds. `completed` has no effect.
public struct Binder<Value: Sendable>: ObserverType {
  /// What a binder receives.
  public typealias Element = Value

  let sink: Sink<Value>

  /// A binder that calls `binding` on the main actor: at once when an element comes on the main queue and none is
  /// waiting or being bound, otherwise later and in order, as RxCocoa's does with a main scheduler of its own.
  public init<Target: AnyObject & Sendable>(
    _ target: Target, binding: @escaping @MainActor @Sendable (Target, Value) -> Void
  ) {
    sink = MainBinderSink(target, binding)
  }

  /// A binder that calls `binding` on `scheduler`.
  public init<Target: AnyObject & Sendable>(
    _ target: Target, scheduler: any ImmediateSchedulerType,
    binding: @escaping @Sendable (Target, Value) -> Void
  ) {
    sink = ScheduledBinderSink(target, scheduler, binding)
  }

  /// Receives an event.
  @inlinable
  public func on(_ event: Event<Value>) {
    // Inlined where the element's type is known, which takes an event apart much faster.
    switch event {
    case .next(let element): onNext(element)
    case .error(let error): onError(error)
    case .completed: onCompleted()
    }
  }

  /// Binds an element.
  public func onNext(_ element: Value) {
    sink.next(element)
  }

  /// A programmer's fault.
  public func onError(_ error: any Swift.Error) {
    sink.error(error)
  }

  /// Has no effect.
  public func onCompleted() {}

  /// This binder with its type erased.
  public func asObserver() -> AnyObserver<Value> {
    AnyObserver(sink: sink)
  }
}

/// A binder's fault: an error that nobody can do anything about.
class BinderSink<Value: Sendable>: Sink<Value>, @unchecked Sendable {
  override final func error(_ error: any Error) {
    BindingError.raise(error)
  }
}

/// `@unchecked Sendable`: `isBinding` and `binding` are touched on the main queue only.
private final class MainBinderSink<Target: AnyObject & Sendable, Value: Sendable>: BinderSink<Value>,
  @unchecked Sendable
{
  private weak let target: Target?
  private let binding: (Target, Value) -> Void
  private let waiting = Atomic<Int>(0)
  private var isBinding = false

  init(_ target: Target, _ binding: @escaping @MainActor @Sendable (Target, Value) -> Void) {
    self.target = target
    self.binding = MainQueue.unchecked(binding)
  }

  override func next(_ element: Value) {
    if MainQueue.isCurrent, !isBinding, waiting.load(ordering: .acquiring) == 0 {
      bind(element)
    } else {
      waiting.wrappingAdd(1, ordering: .relaxed)
      MainQueue.runLater {
        self.bind(element)
        self.waiting.wrappingSubtract(1, ordering: .releasing)
      }
    }
  }

  private func bind(_ element: Value) {
    guard let target else { return }
    isBinding = true
    binding(target, element)
    isBinding = false
  }
}

private final class ScheduledBinderSink<Target: AnyObject & Sendable, Value: Sendable>: BinderSink<Value>,
  @unchecked Sendable
{
  private weak let target: Target?
  private let scheduler: any ImmediateSchedulerType
  private let binding: @Sendable (Target, Value) -> Void

  init(
    _ target: Target, _ scheduler: any ImmediateSchedulerType, _ binding: @escaping @Sendable (Target, Value) -> Void
  ) {
    self.target = target
    self.scheduler = scheduler
    self.binding = binding
  }

  override func next(_ element: Value) {
    _ = scheduler.schedule(element) { element in
      if let target = self.target { self.binding(target, element) }
      return Disposables.create()
    }
  }
}
