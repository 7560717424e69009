import Dispatch
public import LocationKit

/// Locations, headings and satellite counts from a gpsd, for as long as somebody listens.
///
/// The source reads on a thread of its own, which sleeps while nothing arrives, and delivers on the main actor in
/// order. It never gives up: when gpsd is not there, goes away, or is not gpsd, it tries again after 250 ms, then
/// half as long again and so on up to 15 s, and says so once, not every time.
///
/// What gpsd reports becomes:
/// - TPV with mode 2 or 3 and a position → `.location`, at once; `EpochMerger` has the rule for epochs that gpsd
///   reports in parts. `eph`, else `epx` and `epy`, is the horizontal accuracy. `isSimulatedBySoftware` is what gpsd
///   says of the receiver (`status` 8): it cannot know that a recording is played to it as if live.
/// - TPV with a lesser mode → `.noFix`.
/// - SKY with satellites → `.satellites`, and the counts of that device's next locations.
/// - ATT with a heading → `.heading`; never from the course.
/// - the link and the devices → `.status`. gpsd does not tell when a receiver falls silent; `LocationManager`'s
///   `staleAfter` does.
@MainActor
public final class GPSDSource: LocationSource {
  /// Which gpsd this follows, and which of its devices.
  public let endpoint: GPSDEndpoint

  /// The host's monotonic clock.
  public let clock: any LocationClock

  /// `.notDetermined` until a connection was tried; `.denied` while the system refuses it (EACCES, EPERM).
  public private(set) var authorizationStatus = AuthorizationStatus.notDetermined

  /// What the source is doing.
  public private(set) var status = LocationSourceStatus.idle

  /// Takes a line for a log: one for each change of state, and more at `debug`. Called on the main actor, in order
  /// with the events.
  public var onLog: (@MainActor (GPSDLogLevel, String) -> Void)?

  private let configuration: GPSDConfiguration
  /// Ends the reading thread; there is one while this is not nil.
  private var wakeup: Wakeup?
  private lazy var hub = LocationSourceHub(
    start: { [weak self] in self?.start() }, stop: { [weak self] in self?.stop() })

  /// Creates a source that is idle until somebody attaches.
  public init(
    endpoint: GPSDEndpoint = GPSDEndpoint(),
    configuration: GPSDConfiguration = GPSDConfiguration(),
    clock: any LocationClock = SystemClock()
  ) {
    self.endpoint = endpoint
    self.configuration = configuration
    self.clock = clock
  }

  isolated deinit {
    wakeup?.signal()
  }

  /// Adds a receiver; the first one starts the reading thread.
  public func attach(_ receiver: any LocationSourceReceiver) {
    hub.attach(receiver)
  }

  /// Removes a receiver; the last one ends the reading thread, whatever it is doing, without waiting for it.
  public func detach(_ receiver: any LocationSourceReceiver) {
    hub.detach(receiver)
  }

  private func start() {
    guard let wakeup = Wakeup() else { return fail() }
    let thread = Thread { [weak self, endpoint, configuration] in
      var follower = Follower(endpoint: endpoint, configuration: configuration, wakeup: wakeup) { updates in
        // Not `async`: when the main queue is idle and belongs to no thread, as in a daemon, this runs right here, so a
        // report costs one wake-up and not two. And a main queue that falls behind makes the reading wait.
        DispatchQueue.main.sync { MainActor.assumeIsolated { self?.take(updates, from: wakeup) ?? false } }
      }
      follower.run()
    }
    guard let thread else { return fail() }
    // Not joined: it may be waiting for the main queue, and delivers nothing any more once it is let in.
    thread.detach()
    self.wakeup = wakeup
  }

  private func stop() {
    wakeup?.signal()
    wakeup = nil
    status = .idle
  }

  private func fail() {
    hub.send(.failed(LocationError(.network, "this process is out of descriptors or threads to follow gpsd with")))
  }

  /// Passes on what the thread that `wakeup` ends has to say; false when it is not to go on.
  private func take(_ updates: [GPSDUpdate], from wakeup: Wakeup) -> Bool {
    for update in updates {
      // A receiver may end the run in the middle of a batch.
      guard wakeup === self.wakeup else { return false }
      switch update {
      case .event(let event):
        if case .status(let status) = event { self.status = status }
        hub.send(event)
      case .authorization(let status):
        authorizationStatus = status
      case .log(let level, let text):
        onLog?(level, text)
      }
    }
    return wakeup === self.wakeup
  }
}
