/// What a source tells its receivers.
public enum LocationSourceEvent: Sendable, Hashable {
  /// A fix: all reports of one epoch, merged.
  case location(Location)
  /// The receiver is alive and says that it has no fix.
  case noFix
  /// A compass or attitude report.
  case heading(Heading)
  /// How many satellites are seen and used, whether or not there is a fix.
  case satellites(seen: Int, used: Int)
  /// The source changed state.
  case status(LocationSourceStatus)
  /// The source failed in a way that a user should hear of; it goes on by itself where it can.
  case failed(LocationError)
  /// A recording has ended; nothing follows.
  case finished
}
