/// How much a message of a `GPSDSource` matters; swift-log's names.
public enum GPSDLogLevel: Sendable, Hashable, CaseIterable {
  /// Of interest when looking for a fault.
  case debug
  /// The source changed state as it should.
  case info
  /// The link was lost; the source is mending it.
  case notice
  /// The source does not get on without help.
  case warning
}
