/// Disposes its contents when it is released (RxSwift).
///
/// To dispose earlier, replace the bag with a new one.
public final class DisposeBag: Sendable {
  private let counted = CountedResource()
  private let disposables = Locked<[any Disposable]>([])

  /// An empty bag.
  public init() {}

  /// A bag of `disposables`.
  public convenience init(disposing disposables: any Disposable...) { self.init(disposing: disposables) }

  /// A bag of the disposables listed in `builder`.
  public convenience init(@DisposableBuilder builder: () -> [any Disposable]) { self.init(disposing: builder()) }

  /// A bag of `disposables`.
  public init(disposing disposables: [any Disposable]) { insert(disposables) }

  deinit {
    for disposable in disposables.withLock({ $0 }) {
      disposable.dispose()
    }
  }

  /// Adds `disposable`.
  public func insert(_ disposable: any Disposable) { disposables.withLock { $0.append(disposable) } }

  /// Adds `disposables`.
  public func insert(_ disposables: any Disposable...) { insert(disposables) }

  /// Adds the disposables listed in `builder`.
  public func insert(@DisposableBuilder builder: () -> [any Disposable]) { insert(builder()) }

  /// Adds `disposables`.
  public func insert(_ disposables: [any Disposable]) { self.disposables.withLock { $0 += disposables } }

  /// Lists disposables, one a line.
  @resultBuilder
  public struct DisposableBuilder {
    /// The lines as a list.
    public static func buildBlock(_ disposables: any Disposable...) -> [any Disposable] { disposables }
  }
}

extension Disposable {
  /// Puts this into `bag`, which disposes it when it goes away.
  public func disposed(by bag: DisposeBag) { bag.insert(self) }
}
