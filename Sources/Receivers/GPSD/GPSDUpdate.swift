import LocationKit

/// What the reading thread hands to the main actor.
enum GPSDUpdate: Sendable, Equatable {
  /// For the receivers.
  case event(LocationSourceEvent)
  /// The system let this process connect, or did not.
  case authorization(AuthorizationStatus)
  /// For the log.
  case log(GPSDLogLevel, String)
}
