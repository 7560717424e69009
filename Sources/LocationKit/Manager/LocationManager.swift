/// Delivers locations, headings, region crossings and visits from a source to a delegate. Core Location's
/// `CLLocationManager`.
@MainActor
open class LocationManager: LocationSourceReceiver {
  /// Where the fixes come from; several managers may share one.
  public let source: any LocationSource

  /// Who is called. Held weakly, as Core Location does.
  open weak var delegate: (any LocationManagerDelegate)? {
    didSet { delegateDidChange?() }
  }

  /// Called after somebody has set `delegate`, for a delegate proxy that must know when it is replaced. It is
  /// not called when a delegate is released and `delegate` becomes `nil` by itself. Not Core Location's.
  public var delegateDidChange: (@MainActor () -> Void)?

  /// What other modules keep with this manager, a delegate proxy for one. Not Core Location's.
  public let associatedObjects = AssociatedObjects()

  /// The last fix that was received, `nil` before the first.
  public private(set) var location: Location?

  /// The last heading that was received, `nil` before the first.
  public private(set) var heading: Heading?

  private var isUpdatingLocation = false
  private var isUpdatingHeading = false
  private var isRequestingLocation = false

  /// Creates a manager that has asked the source for nothing yet.
  public init(source: any LocationSource) {
    self.source = source
  }

  /// Whether this process may use the source.
  open var authorizationStatus: AuthorizationStatus { source.authorizationStatus }

  /// Starts delivering locations; does nothing when that has been started already.
  open func startUpdatingLocation() {
    isUpdatingLocation = true
    updateAttachment()
  }

  /// Stops delivering locations, and cancels a pending `requestLocation()`.
  open func stopUpdatingLocation() {
    isUpdatingLocation = false
    isRequestingLocation = false
    updateAttachment()
  }

  /// Asks for exactly one call of the delegate: one location, or one error.
  open func requestLocation() {
    isRequestingLocation = true
    updateAttachment()
  }

  /// Starts delivering headings; does nothing when that has been started already.
  open func startUpdatingHeading() {
    isUpdatingHeading = true
    updateAttachment()
  }

  /// Stops delivering headings.
  open func stopUpdatingHeading() {
    isUpdatingHeading = false
    updateAttachment()
  }

  /// Takes one event from the source; the source calls it.
  public func receive(_ event: LocationSourceEvent) {
    switch event {
    case .location(let location):
      self.location = location
      if isUpdatingLocation || isRequestingLocation {
        isRequestingLocation = false
        updateAttachment()
        delegate?.locationManager(self, didUpdateLocations: [location])
      }
    case .noFix:
      delegate?.locationManager(self, didFailWithError: LocationError(.locationUnknown, "the receiver has no fix"))
    case .heading(let heading):
      self.heading = heading
      if isUpdatingHeading { delegate?.locationManager(self, didUpdateHeading: heading) }
    case .satellites(let seen, let used):
      delegate?.locationManager(self, didUpdateSatellitesSeen: seen, used: used)
    case .status(let status):
      delegate?.locationManager(self, didChangeSourceStatus: status)
    case .failed(let error):
      delegate?.locationManager(self, didFailWithError: error)
    case .finished:
      delegate?.locationManagerDidReachEndOfRecording(self)
    }
  }

  private func updateAttachment() {
    if isUpdatingLocation || isUpdatingHeading || isRequestingLocation {
      source.attach(self)
    } else {
      source.detach(self)
    }
  }
}
