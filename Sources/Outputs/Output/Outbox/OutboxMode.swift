/// What happens when a destination is slower than the source, or fails.
public enum OutboxMode: Sendable, Hashable {
  /// A replay can be held up: the thread that appends waits for room. A failure ends the outbox, unless it is temporary.
  case replay
  /// A live source cannot be held up: the oldest records are dropped when there is no more room. A failure is reported
  /// once, writing is tried again every second, and it is reported when it works again.
  case live
}
