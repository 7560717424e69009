/// The kind of movement to expect. It decides when a manager pauses its updates, if it may. Core Location's
/// `CLActivityType`.
public enum ActivityType: String, Sendable, Hashable, Codable, CaseIterable {
  /// No particular kind.
  case other
  /// A vehicle on roads.
  case automotiveNavigation
  /// On foot: walking, running.
  case fitness
  /// A boat, a train, any other vehicle off the road.
  case otherNavigation
  /// In the air.
  case airborne
}
