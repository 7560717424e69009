public import LocationKit
import Platform

/// Locations, headings and satellite counts from a gpsd, for as long as somebody listens.
///
/// The source reads on a thread of its own, which sleeps while nothing arrives, and delivers on the main actor in
/// order. It never gives up: when gpsd is not there, goes away, or is not gpsd, it tries again after 250 ms, then
/// half as long again and so on up to 15 s, and says so once, not every time.
///
/// What gpsd reports becomes:
/// - TPV with mode 2 or 3 and a position → `.location`, at once; `EpochMerger` has the rule for epochs that gpsd
///   reports in parts, `LocationDraft` that for each member. `isSimulatedBySoftware` is what gpsd says of the receiver
///   (`status` 8): it cannot know that a recording is played to it as if live.
/// - TPV with a lesser mode → `.noFix`.
/// - SKY with satellites → `.satellites`, and the counts of that device's next locations; only the counts are read while
///   nobody wants the satellites.
/// - ATT with a heading → `.heading`, when somebody wants it; never from the course.
/// - the connection and the devices → `.status`. gpsd does not tell when a receiver falls silent; `LocationManager`'s
///   `staleAfter` does.
///
/// When gpsd has several receivers and the endpoint names none, one of them is followed for as long as it has a fix;
/// when it has lost it, or has been silent for half of the `staleAfter` of who listens, the best of the others is:
/// three-dimensional before two-dimensional, then the better horizontal accuracy. A receiver whose fixes are less accurate
/// than the `accuracyFilter` of everybody who listens is silent in this sense.
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
  private var selection = ReceiverSelection()
  /// What the reading thread delivers to and is ended by; there is a thread while this is not nil.
  private var reading: (mailbox: MainActorMailbox<GPSDUpdate>, wakeup: Wakeup)?
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
    endReading()
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
    do {
      let wakeup = try Wakeup()
      let mailbox = MainActorMailbox<GPSDUpdate> { [weak self] in self?.take($0, from: wakeup) }
      try Thread.start { [endpoint, configuration, hub] in
        var client = GPSDClient(
          endpoint: endpoint, configuration: configuration, wakeup: wakeup, interests: { hub.interests },
          deliver: { mailbox.deliver($0) })
        client.run()
      }
      selection = ReceiverSelection()
      reading = (mailbox, wakeup)
    } catch {
      hub.send(.failed(LocationError(.network, "no thread or descriptor to follow gpsd with: \(error)")))
    }
  }

  private func stop() {
    endReading()
    status = .idle
  }

  /// The thread is not joined: it may be looking up a name. It delivers nothing any more.
  private func endReading() {
    reading?.wakeup.signal()
    reading?.mailbox.close()
    reading = nil
  }

  /// Passes on what the thread that `wakeup` ends has read.
  private func take(_ updates: [GPSDUpdate], from wakeup: Wakeup) {
    for update in updates {
      // A receiver may end the reading in the middle of a batch.
      guard wakeup === reading?.wakeup else { return }
      switch update {
      case .report(let event, let receiver):
        let passes = selection.passes(
          event, of: receiver, at: clock.now, staleAfter: hub.staleAfter, accuracyFilter: hub.accuracyFilter)
        if passes { hub.send(event) }
      case .removed(let receiver):
        selection.remove(receiver, at: clock.now, staleAfter: hub.staleAfter)
      case .event(let event):
        if case .status(let status) = event { self.status = status }
        hub.send(event)
      case .authorization(let status):
        authorizationStatus = status
      case .log(let level, let text):
        onLog?(level, text)
      }
    }
  }
}

/// How much a message of a `GPSDSource` matters; swift-log's names.
public enum GPSDLogLevel: Sendable, Hashable, CaseIterable {
  /// Of interest when looking for a fault.
  case debug
  /// The source changed state as it should.
  case info
  /// The connection was lost; the source is connecting again.
  case notice
  /// The source does not get on without help.
  case warning
}
