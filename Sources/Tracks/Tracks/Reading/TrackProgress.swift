import Synchronization

/// The progress of reading, and the way to end it early. Any thread may use it while another thread reads.
public final class TrackProgress: Sendable {
  private let read = Atomic(0)
  private let cancelled = Atomic(false)

  /// Creates one for one or more inputs in a row.
  public init() {}

  /// Bytes read so far as they are stored, before they are decompressed.
  public var bytesRead: Int { read.load(ordering: .relaxed) }

  /// Whether `cancel()` was called.
  public var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

  /// Ends the reading within some 100 kB. The events so far count, and the read call returns without an error.
  public func cancel() { cancelled.store(true, ordering: .relaxed) }

  func add(_ count: Int) { read.add(count, ordering: .relaxed) }
}
