/// A source that delivers what it is given: for tests of a program, and for demonstrations.
///
///     let clock = VirtualClock()
///     let source = SimulatedLocationSource(clock: clock)
///     let manager = LocationManager(source: source)
///     manager.delegate = delegate
///     manager.startUpdatingLocation()
///     source.send(.location(Location(latitude: 51.5, longitude: -0.12)))
///     clock.advance(by: 11)  // the delegate hears that the location is unknown
@MainActor
public final class SimulatedLocationSource: LocationSource {
  /// The clock that was given.
  public let clock: any LocationClock

  /// Whether the process may use the source; managers look again at each `.status` event.
  public var authorizationStatus: AuthorizationStatus

  /// The status that was sent last; `.connected` without devices when the source was started since.
  public private(set) var status = LocationSourceStatus.idle

  /// Whether anybody is attached.
  public private(set) var isRunning = false

  /// How many times the source was started.
  public private(set) var startCount = 0

  /// What those who are attached want.
  public var interests: LocationSourceInterests { hub.interests }

  private lazy var hub = LocationSourceHub(
    start: { [unowned self] in
      isRunning = true
      startCount += 1
      status = .connected(devices: [])
    },
    stop: { [unowned self] in
      isRunning = false
      status = .idle
    })

  /// Creates a source that runs on `clock`.
  public init(clock: any LocationClock, authorizationStatus: AuthorizationStatus = .authorizedAlways) {
    self.clock = clock
    self.authorizationStatus = authorizationStatus
  }

  /// Adds a receiver.
  public func attach(_ receiver: any LocationSourceReceiver) {
    hub.attach(receiver)
  }

  /// Removes a receiver.
  public func detach(_ receiver: any LocationSourceReceiver) {
    hub.detach(receiver)
  }

  /// Delivers an event to all that are attached and want it, at once. Of satellites the last are kept for those that come
  /// later, as long as anybody wants them.
  public func send(_ event: LocationSourceEvent) {
    if case .status(let status) = event { self.status = status }
    hub.send(event)
  }
}
