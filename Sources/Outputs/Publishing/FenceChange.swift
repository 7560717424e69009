public import LocationKit

/// What a command does to a fence.
public enum FenceChange: Sendable, Hashable {
  /// The fence is there from now on; one of its name is replaced.
  case set(CircularRegion)
  /// The fence of this name is no more.
  case remove(String)
}
