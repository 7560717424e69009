import Synchronization

/// The part of a ``Sink`` that does not depend on the type of its elements: its life. It is not
/// generic, and so costs no metadata at run time.
///
/// `@unchecked Sendable`: `state` is atomic; `upstream` is written before its bit is set and taken only by the
/// call that sets the second of the bits `upstreamSet` and `disposed`.
class AnySink: Disposable, @unchecked Sendable {
  private let state = Atomic<UInt8>(0)
  private var upstream: (any Disposable)?

  private static var disposedBit: UInt8 { 1 }
  private static var upstreamSetBit: UInt8 { 2 }

  init() {
    Resources.created()
  }

  deinit {
    Resources.destroyed()
  }

  /// Called once, after the upstream was disposed.
  func didDispose() {}

  /// Whether `dispose()` was called. One relaxed load.
  final var isDisposed: Bool {
    state.load(ordering: .relaxed) & Self.disposedBit != 0
  }

  /// Gives the sink its upstream, once; disposes it right away when the sink is disposed already.
  final func setUpstream(_ disposable: any Disposable) {
    upstream = disposable
    let old = state.bitwiseOr(Self.upstreamSetBit, ordering: .acquiringAndReleasing).oldValue
    if old & Self.disposedBit != 0 {
      upstream = nil
      disposable.dispose()
    }
  }

  /// Marks the sink disposed and disposes its upstream.
  final func dispose() {
    let old = state.bitwiseOr(Self.disposedBit, ordering: .acquiringAndReleasing).oldValue
    guard old & Self.disposedBit == 0 else { return }
    if old & Self.upstreamSetBit != 0, let upstream {
      self.upstream = nil
      upstream.dispose()
    }
    didDispose()
  }

  /// Marks the sink disposed and releases its upstream, which is gone. This is not a disposal: no `onDispose` is
  /// called.
  final func release() {
    let old = state.bitwiseOr(Self.disposedBit, ordering: .acquiringAndReleasing).oldValue
    if old & Self.disposedBit == 0, old & Self.upstreamSetBit != 0 { upstream = nil }
  }
}
