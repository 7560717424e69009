import Synchronization

/// How far reading has come, and the way to end it early. Any thread may ask and cancel while another one reads.
public final class TrackProgress: Sendable {
  private let read = Atomic(0)
  private let cancelled = Atomic(false)

  /// Creates one for one or more inputs in a row.
  public init() {}

  /// Bytes read so far as they are stored, before they are decompressed.
  public var bytesRead: Int { read.load(ordering: .relaxed) }

  /// Whether `cancel()` was called.
  public var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

  /// Ends the reading soon, within some 100 kB; what was read so far counts, and the read call returns without an error.
  public func cancel() { cancelled.store(true, ordering: .relaxed) }

  func add(_ count: Int) { read.add(count, ordering: .relaxed) }
}
