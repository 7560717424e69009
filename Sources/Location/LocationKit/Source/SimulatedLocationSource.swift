/// A source that delivers the events that it is given, for tests and demonstrations.
///
///     let clock = VirtualClock()
///     let source = SimulatedLocationSource(clock: clock)
///     let manager = LocationManager(source: source)
///     manager.delegate = delegate
///     manager.startUpdatingLocation()
///     source.send(.location(Location(latitude: 51.5, longitude: -0.12)))
///     clock.advance(by: 11)  // the delegate receives locationUnknown
@MainActor
public final class SimulatedLocationSource: LocationSource {
  /// The clock of the source.
  public let clock: any LocationClock

  /// Whether the process may use the source. Managers read it at each `.status` event.
  public var authorizationStatus: AuthorizationStatus

  /// The last sent status; `.connected` without devices after a start.
  public private(set) var status = LocationSourceStatus.idle

  /// Whether the source has receivers.
  public private(set) var isRunning = false

  /// The number of starts.
  public private(set) var startCount = 0

  /// The union of the receivers' interests.
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
  public func attach(_ receiver: any LocationSourceReceiver) { hub.attach(receiver) }

  /// Removes a receiver.
  public func detach(_ receiver: any LocationSourceReceiver) { hub.detach(receiver) }

  /// Delivers an event at once to all receivers that want it. The last satellites are kept for later receivers, as long
  /// as any receiver wants them.
  public func send(_ event: LocationSourceEvent) {
    if case .status(let status) = event { self.status = status }
    hub.send(event)
  }
}
