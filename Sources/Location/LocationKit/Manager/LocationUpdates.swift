extension LocationManager {
  /// Fixes and losses as an asynchronous sequence, beside the delegate and independent of what this manager has
  /// started. Core Location's `CLLocationUpdate.liveUpdates(_:)`.
  ///
  ///     for await update in manager.liveUpdates() {
  ///       if let location = update.location { … }
  ///     }
  ///
  /// - Parameters:
  ///   - activity: What kind of movement to expect; it decides what counts as stationary.
  ///   - bufferingPolicy: How many updates wait for a slow reader; all of them by default. A reader
  ///     that wants the latest only asks for `.bufferingNewest(1)`.
  public func liveUpdates(
    for activity: ActivityType = .other, bufferingPolicy: LocationUpdates.BufferingPolicy = .unbounded
  ) -> LocationUpdates {
    let (source, staleAfter) = (source, staleAfter)
    return LocationUpdates(
      start: { continuation in
        LiveUpdateSession(source: source, staleAfter: staleAfter, activity: activity, continuation: continuation)
          .start()
      }, bufferingPolicy: bufferingPolicy)
  }
}

/// The sequence that `LocationManager.liveUpdates()` returns: each fix as it comes, and each loss once. It ends
/// with a recording, and never for a live source.
///
/// It asks the source for fixes from the first element that somebody awaits until the iterator is released or
/// its task is cancelled. Each iterator hears every event from its beginning. Elements that wait for a slow
/// reader are kept, up to the number that was given.
public struct LocationUpdates: AsyncSequence, Sendable {
  /// How many elements wait for a slow reader.
  public typealias BufferingPolicy = AsyncStream<LocationUpdate>.Continuation.BufferingPolicy

  let start: @MainActor @Sendable (AsyncStream<LocationUpdate>.Continuation) -> Void
  let bufferingPolicy: BufferingPolicy

  /// Begins to read; the source is asked at the first `next()`.
  public func makeAsyncIterator() -> Iterator {
    Iterator(start: start, bufferingPolicy: bufferingPolicy)
  }

  /// Reads updates.
  public struct Iterator: AsyncIteratorProtocol {
    private let start: @MainActor @Sendable (AsyncStream<LocationUpdate>.Continuation) -> Void
    private let bufferingPolicy: BufferingPolicy
    private var stream: AsyncStream<LocationUpdate>.Iterator?

    init(
      start: @escaping @MainActor @Sendable (AsyncStream<LocationUpdate>.Continuation) -> Void,
      bufferingPolicy: BufferingPolicy
    ) {
      self.start = start
      self.bufferingPolicy = bufferingPolicy
    }

    /// The next update; `nil` at the end of a recording and when the task is cancelled.
    public mutating func next() async -> LocationUpdate? {
      await next(isolation: nil)
    }

    /// The next update; `nil` at the end of a recording and when the task is cancelled.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> LocationUpdate? {
      if stream == nil {
        let (updates, continuation) = AsyncStream.makeStream(
          of: LocationUpdate.self, bufferingPolicy: bufferingPolicy)
        stream = updates.makeAsyncIterator()
        await start(continuation)
      }
      return await stream?.next(isolation: actor)
    }
  }
}

/// One element of `LocationManager.liveUpdates()`: where the receiver is, or why that is not known. Core
/// Location's `CLLocationUpdate`.
public struct LocationUpdate: Sendable, Hashable {
  /// The fix; `nil` when there is none now.
  public var location: Location?
  /// Whether the receiver has not moved for a while. Only the update that begins such a stay has it set, and
  /// those that follow until it ends.
  public var stationary: Bool
  /// Whether the location is unknown: no fix, or none for the manager's `staleAfter`.
  public var locationUnavailable: Bool
  /// Whether the process may not use the source.
  public var authorizationDenied: Bool
  /// What failed, for an update without a location. Not Core Location's.
  public var error: LocationError?

  /// Creates an update.
  public init(
    location: Location? = nil, stationary: Bool = false, locationUnavailable: Bool = false,
    authorizationDenied: Bool = false, error: LocationError? = nil
  ) {
    self.location = location
    self.stationary = stationary
    self.locationUnavailable = locationUnavailable
    self.authorizationDenied = authorizationDenied
    self.error = error
  }
}

/// One reader of `liveUpdates()`: a manager of its own on the same source.
@MainActor
private final class LiveUpdateSession: LocationManagerDelegate {
  private let manager: LocationManager
  private let continuation: AsyncStream<LocationUpdate>.Continuation
  private var detector: StationaryDetector

  init(
    source: any LocationSource, staleAfter: Double, activity: ActivityType,
    continuation: AsyncStream<LocationUpdate>.Continuation
  ) {
    manager = LocationManager(source: source)
    detector = StationaryDetector(activity)
    self.continuation = continuation
    manager.delegate = self
    manager.staleAfter = staleAfter
  }

  /// Runs until the reader is gone; the continuation keeps this object.
  func start() {
    continuation.onTermination = { [self] _ in
      Task { @MainActor in stop() }
    }
    manager.startUpdatingLocation()
  }

  private func stop() {
    manager.stopUpdatingLocation()
  }

  func locationManager(_ manager: LocationManager, didUpdateLocations locations: [Location]) {
    for location in locations {
      let isStationary = detector.update(location.coordinate, at: manager.source.clock.now)
      continuation.yield(LocationUpdate(location: location, stationary: isStationary))
    }
  }

  func locationManager(_ manager: LocationManager, didFailWithError error: LocationError) {
    continuation.yield(
      LocationUpdate(
        locationUnavailable: error.code == .locationUnknown, authorizationDenied: error.code == .denied, error: error))
  }

  func locationManagerDidReachEndOfRecording(_ manager: LocationManager) {
    continuation.finish()
  }
}
