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
  public static func create() -> any Disposable {
    NopDisposable.noOp
  }

  /// A disposable that calls `dispose`, once.
  public static func create(with dispose: @escaping @Sendable () -> Void) -> any Cancelable {
    OnceDisposable(Action(run: dispose)) { $0.run() }
  }

  /// A disposable that disposes both.
  public static func create(_ disposable1: any Disposable, _ disposable2: any Disposable) -> any Cancelable {
    OnceDisposable((disposable1, disposable2)) { disposables in
      disposables.0.dispose()
      disposables.1.dispose()
    }
  }

  /// A disposable that disposes all of them.
  public static func create(
    _ disposable1: any Disposable, _ disposable2: any Disposable, _ disposable3: any Disposable,
    _ disposables: any Disposable...
  ) -> any Cancelable {
    create([disposable1, disposable2, disposable3] + disposables)
  }

  /// A disposable that disposes them all.
  public static func create(_ disposables: [any Disposable]) -> any Cancelable {
    OnceDisposable(disposables) { for disposable in $0 { disposable.dispose() } }
  }
}

/// Does nothing when disposed.
struct NopDisposable: Disposable {
  static let noOp: any Disposable = NopDisposable()

  func dispose() {}
}

/// Disposes of its content, once. A pair, which most operators need, is part of the object; a list is a second one.
private final class OnceDisposable<Content: Sendable>: Cancelable {
  private let counted = CountedResource()
  private let content: Locked<Content?>
  private let disposeOf: @Sendable (Content) -> Void

  init(_ content: Content, disposeOf: @escaping @Sendable (Content) -> Void) {
    self.content = Locked(content)
    self.disposeOf = disposeOf
  }

  var isDisposed: Bool {
    content.withLock { $0 == nil }
  }

  func dispose() {
    if let content = content.withLock({ $0.take() }) { disposeOf(content) }
  }
}

/// A closure in a lock.
private struct Action: Sendable {
  let run: @Sendable () -> Void
}

/// Remembers whether it was disposed, for loops that look (RxSwift).
public final class BooleanDisposable: Cancelable {
  private let disposed: Atomic<Bool>

  /// A disposable that is not disposed.
  public convenience init() {
    self.init(isDisposed: false)
  }

  /// A disposable that is disposed already, or not.
  public init(isDisposed: Bool) {
    disposed = Atomic(isDisposed)
  }

  /// Whether `dispose()` was called.
  public var isDisposed: Bool {
    disposed.load(ordering: .acquiring)
  }

  /// Makes ``isDisposed`` true.
  public func dispose() {
    disposed.store(true, ordering: .releasing)
  }
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
  public var isDisposed: Bool {
    content.withLock { $0 == nil }
  }

  /// Schedules the disposal.
  public func dispose() {
    _ = scheduler.schedule(self) { disposable in
      disposable.disposeContent()
      return Disposables.create()
    }
  }

  private func disposeContent() {
    content.withLock { $0.take() }?.dispose()
  }
}
