/// Why an outbox ended.
public enum OutboxEnd<Failure: Error & Hashable>: Sendable, Hashable {
  /// Everything that had not been dropped is written.
  case finished
  /// The reader has gone, which is no fault.
  case readerGone
  /// The destination failed.
  case failed(Failure)
  /// It was cancelled before everything was written.
  case cancelled
}
