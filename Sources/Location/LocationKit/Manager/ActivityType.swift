/// What kind of movement to expect; it decides when a manager that may pause its updates does so. Core
/// Location's `CLActivityType`.
public enum ActivityType: String, Sendable, Hashable, Codable, CaseIterable {
  /// Nothing in particular.
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
