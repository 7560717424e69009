import LocationKit

/// What the reading thread hands to the main actor.
struct ReplayItem: Sendable {
  enum Content: Sendable {
    case event(LocationSourceEvent)
    /// Only time has passed.
    case time
    case failure(NMEASourceError)
    case end(NMEAStatistics)
  }

  /// Seconds since the replay's start to which the clock is moved first.
  var clock: Double
  var content: Content
}
