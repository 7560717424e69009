/// One element of ``liveUpdates(_:from:staleAfter:bufferingPolicy:)``: where the receiver is, or why that is not known.
/// Core Location's `CLLocationUpdate`.
///
/// | Core Location | here |
/// | --- | --- |
/// | `location`, `stationary`, `isStationary` | the same |
/// | `locationUnavailable`, `authorizationDenied`, `authorizationRestricted` | the same, and ``error`` says why |
/// | `accuracyLimited`, `authorizationDeniedGlobally`, `authorizationRequestInProgress`, `insufficientlyInUse`, `serviceSessionRequired` | always `false` |
public struct LocationUpdate: Sendable, Hashable {
  /// The fix; `nil` when there is none now.
  public var location: Location?
  /// Whether the receiver has not moved for a while. The update that begins such a stay has it set, and those that
  /// follow until it ends.
  public var stationary: Bool
  /// Whether the location is unknown: the receiver has no fix, or none has come for `staleAfter`.
  public var locationUnavailable: Bool
  /// Whether the process may not use the source.
  public var authorizationDenied: Bool
  /// Whether nobody on this host may use the source; `authorizationDenied` is set then, too.
  public var authorizationRestricted: Bool
  /// What failed, for an update without a location. Not Core Location's.
  public var error: LocationError?

  /// Creates an update.
  public init(
    location: Location? = nil, stationary: Bool = false, locationUnavailable: Bool = false,
    authorizationDenied: Bool = false, authorizationRestricted: Bool = false, error: LocationError? = nil
  ) {
    self.location = location
    self.stationary = stationary
    self.locationUnavailable = locationUnavailable
    self.authorizationDenied = authorizationDenied
    self.authorizationRestricted = authorizationRestricted
    self.error = error
  }

  /// The same as `stationary`, by the name that it had in iOS 17.
  public var isStationary: Bool { stationary }

  // MARK: What only a telephone knows

  /// Always `false`: accuracy is never reduced on purpose. What the receiver reaches is the location's
  /// `horizontalAccuracy`.
  public var accuracyLimited: Bool { false }
  /// Always `false`: a host has no switch for all of its receivers.
  public var authorizationDeniedGlobally: Bool { false }
  /// Always `false`: nobody is asked.
  public var authorizationRequestInProgress: Bool { false }
  /// Always `false`: a process on a host is always in use.
  public var insufficientlyInUse: Bool { false }
  /// Always `false`: there are no service sessions.
  public var serviceSessionRequired: Bool { false }
}

extension LocationUpdate {
  /// What kind of movement to expect; it decides what counts as stationary. Core Location's
  /// `CLLocationUpdate.LiveConfiguration`.
  public enum LiveConfiguration: Sendable, Hashable, CaseIterable {
    /// Nothing in particular.
    case `default`
    /// A vehicle on roads.
    case automotiveNavigation
    /// A boat, a train, any other vehicle off the road.
    case otherNavigation
    /// On foot: walking, running.
    case fitness
    /// In the air.
    case airborne

    var activityType: ActivityType {
      switch self {
      case .default: .other
      case .automotiveNavigation: .automotiveNavigation
      case .otherNavigation: .otherNavigation
      case .fitness: .fitness
      case .airborne: .airborne
      }
    }
  }

  /// Fixes and losses of a source as an asynchronous sequence. Core Location's `CLLocationUpdate.liveUpdates(_:)`.
  ///
  ///     for await update in LocationUpdate.liveUpdates(.fitness, from: source) {
  ///       if let location = update.location { … }
  ///     }
  ///
  /// It has each fix as it comes, and each loss once. It ends with a recording, and never for a live source. The
  /// source runs from the first element that somebody awaits until the iterator is released or its task is cancelled.
  ///
  /// - Parameters:
  ///   - configuration: What kind of movement to expect.
  ///   - source: Where the fixes come from; managers may share it.
  ///   - staleAfter: Seconds without a fix after which the location counts as unknown.
  ///   - bufferingPolicy: How many updates wait for a slow reader; all of them by default. A reader that only wants the
  ///     latest one asks for `.bufferingNewest(1)`.
  public static func liveUpdates(
    _ configuration: LiveConfiguration = .default, from source: any LocationSource, staleAfter: Double = 10,
    bufferingPolicy: Updates.BufferingPolicy = .unbounded
  ) -> Updates {
    Updates(bufferingPolicy: bufferingPolicy) { continuation in
      LiveUpdateSession(
        source: source, staleAfter: staleAfter, activity: configuration.activityType, continuation: continuation
      ).start()
    }
  }
}
