/// A group of disposables that are disposed together (RxSwift).
public final class CompositeDisposable: Cancelable {
  /// Names a member of the group, for its removal.
  public struct DisposeKey: Sendable {
    fileprivate let value: UInt64
  }

  private struct State: Sendable {
    var members: [UInt64: any Disposable]? = [:]
    var nextKey: UInt64 = 0

    mutating func reserve() -> UInt64 {
      defer { nextKey += 1 }
      return nextKey
    }

    mutating func insert(_ disposable: any Disposable, for key: UInt64) -> Bool {
      members?[key] = disposable
      return members != nil
    }
  }

  private let counted = CountedResource()
  private let state = Locked(State())

  /// A group of `disposables`, or an empty one.
  public convenience init(_ disposables: any Disposable...) { self.init(disposables: disposables) }

  /// A group of any size.
  public init(disposables: [any Disposable]) {
    state.withLock { state in
      for disposable in disposables { _ = state.insert(disposable, for: state.reserve()) }
    }
  }

  /// Whether `dispose()` was called.
  public var isDisposed: Bool { state.withLock { $0.members == nil } }

  /// How many members there are; 0 once disposed.
  public var count: Int { state.withLock { $0.members?.count ?? 0 } }

  /// Adds a member; when the group is disposed already, disposes it and returns `nil`.
  public func insert(_ disposable: any Disposable) -> DisposeKey? {
    let key = reserve()
    return insert(disposable, for: key) ? key : nil
  }

  /// The key of a member that is inserted later, and may then be removed by itself.
  func reserve() -> DisposeKey { DisposeKey(value: state.withLock { $0.reserve() }) }

  /// Adds a member; when the group is disposed already, disposes it and returns `false`.
  func insert(_ disposable: any Disposable, for key: DisposeKey) -> Bool {
    let isIn = state.withLock { $0.insert(disposable, for: key.value) }
    if !isIn { disposable.dispose() }
    return isIn
  }

  /// Removes a member and disposes it.
  public func remove(for disposeKey: DisposeKey) {
    let member = state.withLock { state in
      state.members?.removeValue(forKey: disposeKey.value)
    }
    member?.dispose()
  }

  /// Disposes all members, in the order of their insertion.
  public func dispose() {
    let members = state.withLock { $0.members.take() }
    guard let members else { return }
    for (_, member) in members.sorted(by: { $0.key < $1.key }) {
      member.dispose()
    }
  }
}
