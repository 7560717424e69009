public import LocationKit

/// A command's change to a fence.
public enum FenceChange: Sendable, Hashable {
  /// Adds the fence or replaces the one with its name.
  case set(CircularRegion)
  /// Removes the fence with this name.
  case remove(String)
}
