#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A thread's queue of actions: the outermost `start` runs them when its body has returned, so that what is
/// scheduled while a chain is being built runs after it has been built, and recursion does not grow the stack.
///
/// Belongs to one thread.
final class Trampoline {
  private(set) var isRunning = false
  private var queue: [ScheduledItem] = []
  private var head = 0

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    let status = pthread_key_create(&key) { value in
      let pointer: UnsafeMutableRawPointer? = value
      if let pointer { Unmanaged<Trampoline>.fromOpaque(pointer).release() }
    }
    precondition(status == 0, "no thread-specific key is left")
    return key
  }()

  /// The calling thread's trampoline.
  static var current: Trampoline {
    if let pointer = pthread_getspecific(key) {
      return Unmanaged<Trampoline>.fromOpaque(pointer).takeUnretainedValue()
    }
    let trampoline = Trampoline()
    pthread_setspecific(key, Unmanaged.passRetained(trampoline).toOpaque())
    return trampoline
  }

  /// Runs `body`, then everything that was enqueued meanwhile, in order.
  func start<Result>(_ body: () -> Result) -> Result {
    isRunning = true
    let result = body()
    while head < queue.count {
      let item = queue[head]
      head += 1
      item.run()
    }
    queue.removeAll(keepingCapacity: queue.count <= 64)
    head = 0
    isRunning = false
    return result
  }

  /// Adds an action to run later.
  func enqueue(_ item: ScheduledItem) {
    // A sequence that goes on for ever must not keep what it has run.
    if head > 32, head * 2 > queue.count {
      queue.removeFirst(head)
      head = 0
    }
    queue.append(item)
  }
}

/// An action that waits on a trampoline.
class ScheduledItem: DisposeBase, Disposable, @unchecked Sendable {
  fileprivate let disposable = SingleAssignmentDisposable()

  func invoke() -> any Disposable {
    Disposables.create()
  }

  final func run() {
    if !disposable.isDisposed { disposable.setDisposable(invoke()) }
  }

  final func dispose() {
    disposable.dispose()
  }
}

/// An action with its state.
final class ScheduledStateItem<State: Sendable>: ScheduledItem, @unchecked Sendable {
  private let state: State
  private let action: @Sendable (State) -> any Disposable

  init(state: State, action: @escaping @Sendable (State) -> any Disposable) {
    self.state = state
    self.action = action
  }

  override func invoke() -> any Disposable {
    action(state)
  }
}
