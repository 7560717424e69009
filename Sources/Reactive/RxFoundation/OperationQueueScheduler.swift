public import Foundation
public import Rx

/// Runs actions as operations of a queue (RxSwift). A queue that runs several operations at a time does so with
/// actions, too; `observe(on:)` keeps the order of the events all the same.
public final class OperationQueueScheduler: ImmediateSchedulerType {
  /// Where the actions run.
  public let operationQueue: OperationQueue
  /// Which of the waiting operations goes first.
  public let queuePriority: Operation.QueuePriority

  /// A scheduler on `operationQueue`.
  public init(operationQueue: OperationQueue, queuePriority: Operation.QueuePriority = .normal) {
    self.operationQueue = operationQueue
    self.queuePriority = queuePriority
  }

  /// Runs `action` with `state` on the queue. The result cancels it, or disposes what `action` returned.
  public func schedule<StateType: Sendable>(
    _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
  ) -> any Disposable {
    let cancel = SingleAssignmentDisposable()
    let operation = BlockOperation {
      if !cancel.isDisposed { cancel.setDisposable(action(state)) }
    }
    operation.queuePriority = queuePriority
    operationQueue.addOperation(operation)
    return cancel
  }
}
