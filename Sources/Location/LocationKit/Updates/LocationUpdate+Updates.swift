extension LocationUpdate {
  /// The sequence that ``LocationUpdate/liveUpdates(_:from:staleAfter:bufferingPolicy:)`` returns. Core Location's
  /// `CLLocationUpdate.Updates`.
  ///
  /// Each iterator receives every event from its first element on. Elements for a slow reader are buffered, up to the
  /// given limit.
  public struct Updates: AsyncSequence, Sendable {
    /// The number of elements to buffer for a slow reader.
    public typealias BufferingPolicy = AsyncStream<LocationUpdate>.Continuation.BufferingPolicy
    typealias Start = @MainActor @Sendable (AsyncStream<LocationUpdate>.Continuation) -> Void

    let bufferingPolicy: BufferingPolicy
    let start: Start

    /// Creates an iterator. The source starts at the first `next()`.
    public func makeAsyncIterator() -> Iterator { Iterator(bufferingPolicy: bufferingPolicy, start: start) }

    /// An iterator of updates.
    public struct Iterator: AsyncIteratorProtocol {
      let bufferingPolicy: BufferingPolicy
      let start: Start
      private(set) var stream: AsyncStream<LocationUpdate>.Iterator?

      /// Returns the next update; `nil` at the end of a recording and after the task is cancelled.
      public mutating func next() async -> LocationUpdate? { await next(isolation: nil) }

      /// Returns the next update; `nil` at the end of a recording and after the task is cancelled.
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
}

/// The updates of one reader, which has a manager of its own on the source.
@MainActor
final class LiveUpdateSession: LocationManagerDelegate {
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

  /// Runs until the reader ends. The continuation keeps this object alive.
  func start() {
    continuation.onTermination = { [self] _ in
      Task { @MainActor in manager.stopUpdatingLocation() }
    }
    manager.startUpdatingLocation()
  }

  func locationManager(_ manager: LocationManager, didUpdateLocations locations: [Location]) {
    for location in locations {
      let isStationary = detector.update(location.coordinate, at: manager.source.clock.now)
      continuation.yield(LocationUpdate(location: location, stationary: isStationary))
    }
  }

  func locationManager(_ manager: LocationManager, didFailWithError error: LocationError) {
    let isDenied = error.code == .denied
    continuation.yield(
      LocationUpdate(
        locationUnavailable: error.code == .locationUnknown, authorizationDenied: isDenied,
        authorizationRestricted: isDenied && manager.authorizationStatus == .restricted, error: error))
  }

  func locationManagerDidReachEndOfRecording(_ manager: LocationManager) { continuation.finish() }
}
