import Synchronization

/// Periodic work on a scheduler that only knows delays: a tick schedules the next one before it runs. A tick that
/// takes longer than the period is followed by the missed ones without overlap.
final class PeriodicRecursion<State: Sendable>: Sendable {
  private enum Command: Sendable {
    case tick
    case dispatchStart
  }

  private struct Progress: Sendable {
    var state: State
    var pendingTicks = 0
  }

  private let scheduler: any SchedulerType
  private let period: RxTimeInterval
  private let action: @Sendable (State) -> State
  private let progress: Locked<Progress>

  init(
    scheduler: any SchedulerType, state: State, period: RxTimeInterval, action: @escaping @Sendable (State) -> State
  ) {
    self.scheduler = scheduler
    self.period = period
    self.action = action
    progress = Locked(Progress(state: state))
  }

  func start(after delay: RxTimeInterval) -> any Disposable {
    scheduler.scheduleRecursive(Command.tick, dueTime: delay, action: tick)
  }

  // RxSwift's order: the next tick first, so that its time does not depend on how long this one takes.
  private func tick(_ command: Command, _ recursion: AnyRecursiveScheduler<Command>) {
    let runsNow: Bool
    switch command {
    case .tick:
      recursion.schedule(.tick, dueTime: period)
      runsNow = progress.withLock { progress in
        progress.pendingTicks += 1
        return progress.pendingTicks == 1
      }
    case .dispatchStart:
      runsNow = true
    }
    guard runsNow else { return }

    let next = action(progress.withLock { $0.state })
    let missed = progress.withLock { progress in
      progress.state = next
      progress.pendingTicks -= 1
      return progress.pendingTicks > 0
    }
    if missed { recursion.schedule(.dispatchStart) }
  }
}
