public import FoundationEssentials

extension LocationMonitor {
  /// A circle on the ground, which is satisfied while the receiver is inside. Core Location's
  /// `CLMonitor.CircularGeographicCondition`.
  public struct CircularGeographicCondition: Sendable, Hashable, Codable {
    /// The centre of the circle, degrees WGS84.
    public var center: LocationCoordinate2D
    /// The radius in metres, along the geodesic.
    public var radius: LocationDistance

    /// Creates a condition from any values; the monitor checks them.
    public init(center: LocationCoordinate2D, radius: LocationDistance) {
      self.center = center
      self.radius = radius
    }

    func region(_ identifier: String) -> Region { Region(center: center, radius: radius, identifier: identifier) }
  }

  /// A condition and its last event. Core Location's `CLMonitor.Record`.
  public struct Record: Sendable, Hashable {
    /// The condition.
    public let condition: CircularGeographicCondition
    /// The last event. Before the first one, it holds the assumed state without a date.
    public internal(set) var lastEvent: Event
  }

  /// A change of a condition's state. Core Location's `CLMonitor.Event`.
  public struct Event: Sendable, Hashable {
    /// The state of a condition. Core Location's `CLMonitor.Event.State`.
    public enum State: String, Sendable, Hashable, Codable {
      /// No fix has decided the state yet.
      case unknown
      /// The receiver is inside.
      case satisfied
      /// The receiver is outside.
      case unsatisfied
      /// The condition cannot be monitored, or the process may not use the source.
      case unmonitored

      init(_ state: RegionState) {
        switch state {
        case .unknown: self = .unknown
        case .inside: self = .satisfied
        case .outside: self = .unsatisfied
        }
      }
    }

    /// The condition's name.
    public let identifier: String
    /// The new state.
    public let state: State
    /// The receiver's time of the fix that decided the state; `nil` without one.
    public private(set) var date: Date?
    /// Whether the condition is not a circle on the earth. The state is then `unmonitored`.
    public private(set) var conditionUnsupported = false
    /// Whether the process may not use the source. The state is then `unmonitored`.
    public private(set) var authorizationDenied = false
    /// The fault of the condition, the missing authorization, or a receiver that is less accurate than the condition
    /// needs. Not Core Location's.
    public private(set) var error: LocationError?
  }
}
