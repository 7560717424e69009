/// What a source of locations is doing.
public enum LocationSourceStatus: Sendable, Hashable {
  /// Not started, or stopped.
  case idle
  /// Opening the source.
  case connecting
  /// Open; fixes may follow. `devices` are the receivers that it reports, if it reports them.
  case connected(devices: [String])
  /// Not reachable; the next try follows in that many seconds.
  case waiting(reason: String, retryIn: Double)
  /// At its end, for a recording.
  case finished
}
