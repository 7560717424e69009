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
  ///   - bufferingPolicy: How many updates wait for a slow reader; all of them unless told otherwise. A reader
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
