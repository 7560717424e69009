/// An observer that sets something on an object (RxCocoa).
///
/// The object is held weakly: without it elements are dropped. An `error` event is a programmer's fault: it traps in
/// debug builds, and is logged on standard error in release builds. `completed` has no effect.
public struct Binder<Value: Sendable>: ObserverType {
  /// What a binder receives.
  public typealias Element = Value

  let sink: Sink<Value>

  /// A binder that calls `binding` on the main actor: at once when an element comes on the main queue and none is
  /// waiting or being bound, otherwise later and in order, as RxCocoa's does with a main scheduler of its own.
  public init<Target: AnyObject & Sendable>(
    _ target: Target, binding: @escaping @MainActor @Sendable (Target, Value) -> Void
  ) {
    let binding = MainBinding(target, binding)
    // A binding cannot handle an error.
    sink = ClosureSink(onNext: { binding.receive($1) }, onEnd: { if let error = $1 { BindingError.raise(error) } })
  }

  /// A binder that calls `binding` on `scheduler`.
  public init<Target: AnyObject & Sendable>(
    _ target: Target, scheduler: any ImmediateSchedulerType,
    binding: @escaping @Sendable (Target, Value) -> Void
  ) {
    sink = ClosureSink(
      onNext: { [weak target] _, element in
        _ = scheduler.schedule(element) { [weak target] element in
          if let target { binding(target, element) }
          return Disposables.create()
        }
      },
      onEnd: { if let error = $1 { BindingError.raise(error) } })
  }

  /// Binds an element. An error is a programmer's fault, and the completion has no effect.
  public func on(_ event: Event<Value>) { sink.on(event) }

  /// This binder with its type erased.
  public func asObserver() -> AnyObserver<Value> { AnyObserver(sink: sink) }
}

/// Sets something on the main actor.
private final class MainBinding<Target: AnyObject & Sendable, Value: Sendable>: Sendable {
  private weak let target: Target?
  private let binding: @MainActor @Sendable (Target, Value) -> Void
  private let gate = MainQueueGate()
  // The binding as the main actor itself calls it, without a check each time. Touched on the main queue only.
  private nonisolated(unsafe) var set: ((Target, Value) -> Void)?

  init(_ target: Target, _ binding: @escaping @MainActor @Sendable (Target, Value) -> Void) {
    self.target = target
    self.binding = binding
  }

  func receive(_ element: Value) {
    if gate.runNow({ bind(element) }) == nil {
      gate.runLater { self.bind(element) }
    }
  }

  private func bind(_ element: Value) {
    guard let target else { return }
    if set == nil { MainActor.assumeIsolated { set = withinMainActor(binding) } }
    set?(target, element)
  }
}

/// The same function, for callers that are known to be on the main actor.
@MainActor
private func withinMainActor<First, Second>(
  _ function: @escaping @MainActor (First, Second) -> Void
) -> (First, Second) -> Void {
  function
}

/// A binding cannot handle an error, so that is a programming error (RxCocoa's `rxFatalErrorInDebug`).
package enum BindingError {
  /// Traps in debug builds, logs on standard error in release builds.
  @Sendable
  package static func raise(_ error: any Error) {
    #if DEBUG
      fatalError("Binding error: \(error)")
    #else
      StandardError.write("Binding error: \(error)")
    #endif
  }
}
