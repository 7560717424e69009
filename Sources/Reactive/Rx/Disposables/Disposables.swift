/// Makes disposables (RxSwift's `Disposables`).
public enum Disposables {
  /// A disposable that does nothing.
  public static func create() -> any Disposable {
    NopDisposable.noOp
  }

  /// A disposable that calls `dispose`, once.
  public static func create(with dispose: @escaping @Sendable () -> Void) -> any Cancelable {
    AnonymousDisposable(dispose)
  }

  /// A disposable that disposes both.
  public static func create(_ disposable1: any Disposable, _ disposable2: any Disposable) -> any Cancelable {
    BinaryDisposable(disposable1, disposable2)
  }

  /// A disposable that disposes all three.
  public static func create(
    _ disposable1: any Disposable, _ disposable2: any Disposable, _ disposable3: any Disposable
  ) -> any Cancelable {
    StaticCompositeDisposable([disposable1, disposable2, disposable3])
  }

  /// A disposable that disposes them all.
  public static func create(
    _ disposable1: any Disposable, _ disposable2: any Disposable, _ disposable3: any Disposable,
    _ disposables: any Disposable...
  ) -> any Cancelable {
    StaticCompositeDisposable([disposable1, disposable2, disposable3] + disposables)
  }

  /// A disposable that disposes them all.
  public static func create(_ disposables: [any Disposable]) -> any Cancelable {
    StaticCompositeDisposable(disposables)
  }
}

/// Does nothing when disposed.
struct NopDisposable: Disposable {
  static let noOp: any Disposable = NopDisposable()

  func dispose() {}
}

/// Disposes two disposables, once. Most operators that need more than one need two, and a list would be a second object.
private final class BinaryDisposable: Cancelable {
  private let counted = CountedResource()
  private let disposables: Locked<(any Disposable, any Disposable)?>

  init(_ first: any Disposable, _ second: any Disposable) {
    disposables = Locked((first, second))
  }

  var isDisposed: Bool {
    disposables.withLock { $0 == nil }
  }

  func dispose() {
    guard let (first, second) = disposables.withLock({ $0.take() }) else { return }
    first.dispose()
    second.dispose()
  }
}

/// Disposes a fixed list of disposables, once.
private final class StaticCompositeDisposable: Cancelable {
  private let counted = CountedResource()
  private let disposables: Locked<[any Disposable]?>

  init(_ disposables: [any Disposable]) {
    self.disposables = Locked(disposables)
  }

  var isDisposed: Bool {
    disposables.withLock { $0 == nil }
  }

  func dispose() {
    for disposable in disposables.withLock({ $0.take() }) ?? [] {
      disposable.dispose()
    }
  }
}

/// Calls a closure when it is disposed, once.
final class AnonymousDisposable: Cancelable {
  private struct Action: Sendable {
    let run: @Sendable () -> Void
  }

  private let counted = CountedResource()
  private let action: Locked<Action?>

  init(_ action: @escaping @Sendable () -> Void) {
    self.action = Locked(Action(run: action))
  }

  var isDisposed: Bool {
    action.withLock { $0 == nil }
  }

  func dispose() {
    action.withLock { $0.take() }?.run()
  }
}
