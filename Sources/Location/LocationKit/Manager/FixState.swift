/// Whether a manager has a fix, and why not. Not Core Location's.
///
/// A manager says it once, so that everyone who shows it says the same.
public enum FixState: Sendable, Hashable {
  /// No fix has come since the start.
  case searching
  /// The manager's `location` holds.
  case current
  /// There is no fix, or no longer.
  // Indirect, so that a manager that has a fix has no room for a second one.
  indirect case lost(FixLoss)

  /// What is known of the loss; `nil` while there is none.
  public var loss: FixLoss? {
    if case .lost(let loss) = self { loss } else { nil }
  }
}

/// Why a manager has no fix.
public struct FixLoss: Sendable, Hashable {
  /// What the fix was lost to.
  public enum Reason: String, Sendable, Hashable, CaseIterable {
    /// The receiver says that it has none, or none that passes the manager's `accuracyFilter`.
    case receiver
    /// The receiver has said nothing for the manager's `staleAfter`.
    case silence
    /// The source of locations is not connected.
    case source
  }

  /// What the fix was lost to.
  public var reason: Reason
  /// The last fix; `nil` when there was none.
  public var location: Location?

  /// Describes a loss.
  public init(_ reason: Reason, location: Location? = nil) {
    self.reason = reason
    self.location = location
  }
}

extension Location {
  /// Whether this location counts where those of a worse or an unknown horizontal accuracy count as none.
  ///
  /// - Parameter filter: Metres; `nil` lets all locations pass.
  public func passes(accuracyFilter filter: LocationAccuracy?) -> Bool {
    guard let filter else { return true }
    return horizontalAccuracy ?? .infinity <= filter
  }
}
