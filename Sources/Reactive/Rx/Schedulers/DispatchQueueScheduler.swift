public import Dispatch

/// A scheduler whose actions run on a dispatch queue.
public protocol DispatchQueueScheduler: SchedulerType {
  /// Where the actions run.
  var queue: DispatchQueue { get }
  /// How much later than it is due a timer may fire.
  var leeway: DispatchTimeInterval { get }
}

extension DispatchQueueScheduler {
  /// Runs `action` on the queue.
  public func schedule<StateType: Sendable>(
    _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
  ) -> any Disposable {
    enqueue(state, action)
  }

  /// Runs `action` on the queue after `dueTime`.
  public func scheduleRelative<StateType: Sendable>(
    _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
  ) -> any Disposable {
    let timer = DispatchTimer(queue: queue)
    let result = SingleAssignmentDisposable()
    timer.start(after: dueTime, repeating: .never, leeway: leeway) {
      result.setDisposable(action(state))
      timer.dispose()
    }
    return Disposables.create(timer, result)
  }

  /// Runs `action` on the queue after `startAfter` and then every `period`.
  public func schedulePeriodic<StateType: Sendable>(
    _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
    action: @escaping @Sendable (StateType) -> StateType
  ) -> any Disposable {
    let timer = DispatchTimer(queue: queue)
    let periodic = PeriodicAction(state, action)
    timer.start(after: startAfter, repeating: period, leeway: leeway) { periodic.tick { timer.isDisposed } }
    return timer
  }

  func enqueue<State: Sendable>(
    _ state: State, _ action: @escaping @Sendable (State) -> any Disposable
  ) -> any Disposable {
    let cancel = SingleAssignmentDisposable()
    queue.async {
      if !cancel.isDisposed { cancel.setDisposable(action(state)) }
    }
    return cancel
  }
}

/// Runs actions one at a time on a serial dispatch queue (RxSwift). A concurrent queue is made serial by targeting it.
/// `@unchecked Sendable`: its properties never change, and neither do those of subclasses.
public class SerialDispatchQueueScheduler: DispatchQueueScheduler, @unchecked Sendable {
  /// Where the actions run.
  public final let queue: DispatchQueue
  /// How much later than it is due a timer may fire.
  public final let leeway: DispatchTimeInterval

  init(serialQueue: DispatchQueue, leeway: DispatchTimeInterval = .nanoseconds(0)) {
    queue = serialQueue
    self.leeway = leeway
  }

  /// A scheduler with a queue of its own, named for debuggers.
  public convenience init(
    internalSerialQueueName: String, serialQueueConfiguration: ((DispatchQueue) -> Void)? = nil,
    leeway: DispatchTimeInterval = .nanoseconds(0)
  ) {
    let queue = DispatchQueue(label: internalSerialQueueName)
    serialQueueConfiguration?(queue)
    self.init(serialQueue: queue, leeway: leeway)
  }

  /// A scheduler with a queue of its own that runs on `queue`.
  public convenience init(
    queue: DispatchQueue, internalSerialQueueName: String, leeway: DispatchTimeInterval = .nanoseconds(0)
  ) { self.init(serialQueue: DispatchQueue(label: internalSerialQueueName, target: queue), leeway: leeway) }

  /// A scheduler with a queue of its own that runs on the global queue of `qos`.
  public convenience init(
    qos: DispatchQoS, internalSerialQueueName: String = "rx.global_dispatch_queue.serial",
    leeway: DispatchTimeInterval = .nanoseconds(0)
  ) { self.init(queue: .global(qos: qos.qosClass), internalSerialQueueName: internalSerialQueueName, leeway: leeway) }

  /// Runs `action` on the queue.
  public func schedule<StateType: Sendable>(
    _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
  ) -> any Disposable {
    enqueue(state, action)
  }
}

/// Runs actions on a dispatch queue, several at a time if the queue does (RxSwift).
public final class ConcurrentDispatchQueueScheduler: DispatchQueueScheduler {
  /// Where the actions run.
  public let queue: DispatchQueue
  /// How much later than it is due a timer may fire.
  public let leeway: DispatchTimeInterval

  /// A scheduler on `queue`.
  public init(queue: DispatchQueue, leeway: DispatchTimeInterval = .nanoseconds(0)) {
    self.queue = queue
    self.leeway = leeway
  }

  /// A scheduler with a concurrent queue of its own at `qos`.
  public convenience init(qos: DispatchQoS, leeway: DispatchTimeInterval = .nanoseconds(0)) {
    self.init(queue: DispatchQueue(label: "rxswift.queue.\(qos)", qos: qos, attributes: .concurrent), leeway: leeway)
  }
}

/// A dispatch timer that disposal cancels. It keeps itself until then.
private final class DispatchTimer: Cancelable {
  // The source's own handler cannot be taken from an active source, and what this one captures has to go as soon as the
  // timer is disposed of. In a structure, because a bare closure in a mutex would be wrapped once more at each access.
  private struct Handler: Sendable {
    var run: @Sendable () -> Void
  }

  // It is set up before `start` returns, and may then be cancelled from any thread.
  private nonisolated(unsafe) let source: any DispatchSourceTimer
  private let handler = Locked<Handler?>(nil)

  init(queue: DispatchQueue) { source = DispatchSource.makeTimerSource(queue: queue) }

  /// Arms the timer, once.
  func start(
    after delay: DispatchTimeInterval, repeating period: DispatchTimeInterval, leeway: DispatchTimeInterval,
    handler: @escaping @Sendable () -> Void
  ) {
    self.handler.withLock { $0 = Handler(run: handler) }
    source.schedule(deadline: .now() + delay, repeating: period, leeway: leeway)
    source.setEventHandler { self.handler.withLock { $0 }?.run() }
    source.resume()
  }

  var isDisposed: Bool { handler.withLock { $0 == nil } }

  func dispose() {
    guard let handler = handler.withLock({ $0.take() }) else { return }
    source.cancel()
    // Released here, outside of the lock: it may own what disposes of something else.
    withExtendedLifetime(handler) {}
  }
}
