/// One element of ``liveUpdates(_:from:staleAfter:bufferingPolicy:)``: the receiver's location, or the reason why it is
/// unknown. Core Location's `CLLocationUpdate`.
///
/// | Core Location | here |
/// | --- | --- |
/// | `location`, `stationary`, `isStationary` | the same |
/// | `locationUnavailable`, `authorizationDenied`, `authorizationRestricted` | the same; ``error`` gives the reason |
/// | `accuracyLimited`, `authorizationDeniedGlobally`, `authorizationRequestInProgress`, `insufficientlyInUse`, `serviceSessionRequired` | always `false` |
public struct LocationUpdate: Sendable, Hashable {
  /// The current fix; `nil` without one.
  public var location: Location?
  /// Whether the receiver has not moved for a while. It is set from the update that begins a stay until the stay ends.
  public var stationary: Bool
  /// Whether the location is unknown, because the receiver has no fix or was silent for `staleAfter`.
  public var locationUnavailable: Bool
  /// Whether the process may not use the source.
  public var authorizationDenied: Bool
  /// Whether the system forbids the source to all users of this host; `authorizationDenied` is then set too.
  public var authorizationRestricted: Bool
  /// The error of an update without a location. Not Core Location's.
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

  /// The same as `stationary`, by its name in iOS 17.
  public var isStationary: Bool { stationary }

  // MARK: Properties for phones only

  /// Always `false`: accuracy is never reduced on purpose. See the location's `horizontalAccuracy`.
  public var accuracyLimited: Bool { false }
  /// Always `false`: a host has no switch for all of its receivers.
  public var authorizationDeniedGlobally: Bool { false }
  /// Always `false`: there is no dialog.
  public var authorizationRequestInProgress: Bool { false }
  /// Always `false`: a process on a host always counts as in use.
  public var insufficientlyInUse: Bool { false }
  /// Always `false`: there are no service sessions.
  public var serviceSessionRequired: Bool { false }
}

extension LocationUpdate {
  /// The kind of movement to expect. It decides what counts as stationary. Core Location's
  /// `CLLocationUpdate.LiveConfiguration`.
  public enum LiveConfiguration: String, Sendable, Hashable, CaseIterable {
    /// No particular kind.
    case `default` = "other"
    /// A vehicle on roads.
    case automotiveNavigation
    /// A boat, a train, any other vehicle off the road.
    case otherNavigation
    /// On foot: walking, running.
    case fitness
    /// In the air.
    case airborne

    var activityType: ActivityType { ActivityType(rawValue: rawValue) ?? .other }
  }

  /// Fixes and losses of a source as an asynchronous sequence. Core Location's `CLLocationUpdate.liveUpdates(_:)`.
  ///
  ///     for await update in LocationUpdate.liveUpdates(.fitness, from: source) {
  ///       if let location = update.location { … }
  ///     }
  ///
  /// The sequence contains every fix, and each loss once. It ends with a recording, and never for a live source. The
  /// source runs from the first awaited element until the iterator is released or its task is cancelled.
  ///
  /// - Parameters:
  ///   - configuration: The kind of movement to expect.
  ///   - source: The source of the fixes; managers may share it.
  ///   - staleAfter: The seconds without a fix after which the location counts as unknown.
  ///   - bufferingPolicy: The number of updates to buffer for a slow reader; all by default. A reader that needs only
  ///     the latest one passes `.bufferingNewest(1)`.
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
