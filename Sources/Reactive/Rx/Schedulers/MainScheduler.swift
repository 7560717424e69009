public import Dispatch

/// Runs actions on the main queue: at once when already there and nothing is waiting, otherwise in order (RxSwift).
/// `@unchecked Sendable`: it adds a gate to its superclass, which is `Sendable` and never changes.
public final class MainScheduler: SerialDispatchQueueScheduler, @unchecked Sendable {
  private let gate = MainQueueGate()

  /// A scheduler on the main queue.
  public init() { super.init(serialQueue: .main) }

  /// The main scheduler.
  public static let instance = MainScheduler()

  /// A scheduler on the main queue that never runs an action at once.
  public static let asyncInstance = SerialDispatchQueueScheduler(serialQueue: .main)

  /// Traps when the caller is not on the main queue.
  public class func ensureExecutingOnScheduler(errorMessage: String? = nil) {
    if !MainQueue.isCurrent {
      fatalError(
        errorMessage
          ?? "Executing on background thread. Please use `MainScheduler.instance.schedule` to schedule work on main thread."
      )
    }
  }

  /// Traps when the caller is not on the main queue.
  public class func ensureRunningOnMainThread(errorMessage: String? = nil) {
    if !MainQueue.isCurrent { fatalError(errorMessage ?? "Running on background thread.") }
  }

  override public func schedule<StateType: Sendable>(
    _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
  ) -> any Disposable {
    if let disposable = gate.runNow({ action(state) }) { return disposable }
    let cancel = SingleAssignmentDisposable()
    gate.runLater {
      if !cancel.isDisposed { cancel.setDisposable(action(state)) }
    }
    return cancel
  }
}

/// Runs actions on the main queue, at once when already there: for `subscribe(on:)` (RxSwift).
public final class ConcurrentMainScheduler: DispatchQueueScheduler {
  /// The scheduler.
  public static let instance = ConcurrentMainScheduler()

  private init() {}

  /// The main queue.
  public var queue: DispatchQueue { .main }
  /// None.
  public var leeway: DispatchTimeInterval { .nanoseconds(0) }

  /// Runs `action` at once on the main queue, otherwise later.
  public func schedule<StateType: Sendable>(
    _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
  ) -> any Disposable {
    MainQueue.isCurrent ? action(state) : enqueue(state, action)
  }
}
