import Synchronization

/// Something that can be ended: a subscription, a scheduled action, a resource (RxSwift).
public protocol Disposable: Sendable {
  /// Ends it. May be called on any thread and any number of times; only the first call has an effect.
  func dispose()
}

/// A disposable that can tell whether it was disposed (RxSwift).
public protocol Cancelable: Disposable {
  /// Whether `dispose()` was called.
  var isDisposed: Bool { get }
}

/// Makes disposables (RxSwift).
public enum Disposables {
  /// A disposable that does nothing.
  public static func create() -> any Disposable { NopDisposable.noOp }

  /// A disposable that calls `dispose`, once.
  public static func create(with dispose: @escaping @Sendable () -> Void) -> any Cancelable {
    OnceDisposable(.action(dispose))
  }

  /// A disposable that disposes both.
  public static func create(_ disposable1: any Disposable, _ disposable2: any Disposable) -> any Cancelable {
    OnceDisposable(.pair(disposable1, disposable2))
  }

  /// A disposable that disposes all of them.
  public static func create(
    _ disposable1: any Disposable, _ disposable2: any Disposable, _ disposable3: any Disposable,
    _ disposables: any Disposable...
  ) -> any Cancelable {
    create([disposable1, disposable2, disposable3] + disposables)
  }

  /// A disposable that disposes them all.
  public static func create(_ disposables: [any Disposable]) -> any Cancelable { OnceDisposable(.list(disposables)) }
}

/// Does nothing when disposed.
struct NopDisposable: Disposable {
  static let noOp: any Disposable = NopDisposable()

  func dispose() {}
}

/// Disposes of its content, once. A pair, which most operators need, is part of the object; a list is a second one.
private final class OnceDisposable: Cancelable {
  enum Content: Sendable {
    case action(@Sendable () -> Void)
    case pair(any Disposable, any Disposable)
    case list([any Disposable])
  }

  private let counted = CountedResource()
  private let content: Locked<Content?>

  init(_ content: Content) { self.content = Locked(content) }

  var isDisposed: Bool { content.withLock { $0 == nil } }

  func dispose() {
    switch content.withLock({ $0.take() }) {
    case .action(let action): action()
    case .pair(let first, let second):
      first.dispose()
      second.dispose()
    case .list(let disposables): for disposable in disposables { disposable.dispose() }
    case nil: break
    }
  }
}

/// Remembers whether it was disposed, for loops that look (RxSwift).
public final class BooleanDisposable: Cancelable {
  private let disposed: Atomic<Bool>

  /// A disposable that is not disposed.
  public convenience init() { self.init(isDisposed: false) }

  /// A disposable that is disposed already, or not.
  public init(isDisposed: Bool) { disposed = Atomic(isDisposed) }

  /// Whether `dispose()` was called.
  public var isDisposed: Bool { disposed.load(ordering: .acquiring) }

  /// Makes ``isDisposed`` true.
  public func dispose() { disposed.store(true, ordering: .releasing) }
}

/// Disposes its content on a scheduler (RxSwift).
public final class ScheduledDisposable: Cancelable {
  /// Where the content is disposed.
  public let scheduler: any ImmediateSchedulerType
  private let content: Locked<(any Disposable)?>

  /// Disposes `disposable` on `scheduler`.
  public init(scheduler: any ImmediateSchedulerType, disposable: any Disposable) {
    self.scheduler = scheduler
    content = Locked(disposable)
  }

  /// Whether the content was disposed.
  public var isDisposed: Bool { content.withLock { $0 == nil } }

  /// Schedules the disposal.
  public func dispose() {
    _ = scheduler.schedule(self) { disposable in
      disposable.disposeContent()
      return Disposables.create()
    }
  }

  private func disposeContent() { content.withLock { $0.take() }?.dispose() }
}
