/// The state of a manager's fix. Not Core Location's.
///
/// The manager is the only place that decides this, so that all displays agree.
public enum FixState: Sendable, Hashable {
  /// No fix has arrived since the start.
  case searching
  /// The manager's `location` is current.
  case current
  /// There is no fix.
  // Indirect, so that a manager with a fix needs no memory for a second one.
  indirect case lost(FixLoss)

  /// The loss of the fix; `nil` unless it is lost.
  public var loss: FixLoss? {
    if case .lost(let loss) = self { loss } else { nil }
  }
}

/// The loss of a manager's fix.
public struct FixLoss: Sendable, Hashable {
  /// The cause of the loss.
  public enum Reason: String, Sendable, Hashable, CaseIterable {
    /// The receiver has no fix, or none that passes the manager's `accuracyFilter`.
    case receiver
    /// The receiver has been silent for the manager's `staleAfter`.
    case silence
    /// The source of locations is not connected.
    case source
  }

  /// The cause of the loss.
  public var reason: Reason
  /// The last fix; `nil` if there was none.
  public var location: Location?

  /// Creates a loss.
  public init(_ reason: Reason, location: Location? = nil) {
    self.reason = reason
    self.location = location
  }
}

extension Location {
  /// Whether the horizontal accuracy is known and within the filter in metres; with `nil` all locations pass.
  public func passes(accuracyFilter filter: LocationAccuracy?) -> Bool {
    guard let filter else { return true }
    return horizontalAccuracy ?? .infinity <= filter
  }
}
