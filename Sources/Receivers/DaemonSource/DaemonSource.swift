public import LocationKit
import Platform
import Replay
import Synchronization
import SystemPackage

/// Locations, headings and satellites from the location socket of rxlocationd, for as long as the source has listeners.
///
///     let manager = LocationManager(source: DaemonSource())
///     manager.delegate = self
///     manager.startUpdatingLocation()
///
/// The daemon has the receiver, and each program is its client, as on Apple's systems. The manager is the program's own:
/// its fences, filters and times are not those of the daemon, whose privacy policy, filters and jumps apply before.
/// Values have the decimals of the daemon's records: nine of a degree, four of a metre, and milliseconds.
///
/// The source reads on a thread of its own, which sleeps while nothing arrives, and delivers on the main actor in order.
/// It never gives up: it tries again after 250 ms, then half as long again and so on up to 5 s, so that it finds a socket
/// that appears later. A daemon that restarts within some seconds is no error.
///
/// The daemon's records become events:
/// - `location` → `.location`. Its doubts are the daemon's, which count at once for a manager that monitors doubts.
/// - `state` with the reason `receiver` → `.noFix`. The manager itself notices silence.
/// - `source` → `.status`, and `.finished` at the end of a replay.
/// - `error` with the code `network` or `denied` → `.failed`. Errors about fixes and fences are the manager's own.
/// - `satellites` and `heading` → `.satellites` and `.heading`, if a listener wants them.
@MainActor
public final class DaemonSource: LocationSource {
  /// The socket of the service on this host.
  public nonisolated static let defaultPath = "/run/rxlocationd/location.sock"

  /// The host's monotonic clock, or the recording's if the daemon plays one.
  public var clock: any LocationClock { ownClock }

  /// `.notDetermined` until the socket was opened first; `.denied` while the system does not let this process open it
  /// (EACCES, EPERM).
  public private(set) var authorizationStatus = AuthorizationStatus.notDetermined

  /// The status of the daemon's source; without a connection to the daemon, that of connecting to it.
  public private(set) var status = LocationSourceStatus.idle

  /// The number of lines from the daemon that are not records, as `malformed`. Any thread.
  public nonisolated var skippedLines: [String: Int] { ["malformed": malformed.load(ordering: .relaxed)] }

  private let name: String
  private let connect: DaemonClient.Connect
  private let ownClock = SourceClock(.system)
  private nonisolated let malformed = Atomic(0)
  /// The reading thread's mailbox and the wake-up that ends it; `nil` while there is no thread.
  private var reading: (mailbox: MainActorMailbox<DaemonReport>, wakeup: Wakeup)?
  /// The connection, and what the daemon was asked for on it.
  private var connection: (socket: DaemonSocket, interests: LocationSourceInterests)?
  private lazy var hub = LocationSourceHub(
    start: { [weak self] in self?.start() }, stop: { [weak self] in self?.stop() })

  /// Creates a source that is idle until a receiver attaches. It connects to the unix socket at `path`.
  public convenience init(path: String = DaemonSource.defaultPath) {
    self.init(path) { _ throws(ConnectFailure) in try UnixSocket.connect(to: path) }
  }

  /// Creates a source that is idle until a receiver attaches. It connects to a daemon that serves locations on a TCP
  /// port, such as that of another host.
  public convenience init(host: String, port: UInt16) {
    let endpoint = Endpoint(host: host, port: port)
    self.init(endpoint.description) { wakeup throws(ConnectFailure) in
      var connector = Connector(to: endpoint, within: DaemonClient.patience, wakeup: wakeup)
      let descriptor = try connector.connect()
      KeepAlive.set(descriptor)
      return descriptor
    }
  }

  private init(_ name: String, _ connect: @escaping DaemonClient.Connect) {
    (self.name, self.connect) = (name, connect)
  }

  isolated deinit { endReading() }

  /// Adds a receiver; the first one starts the reading thread.
  public func attach(_ receiver: any LocationSourceReceiver) {
    hub.attach(receiver)
    ask()
  }

  /// Removes a receiver; the last one ends the reading thread, without waiting for it.
  public func detach(_ receiver: any LocationSourceReceiver) {
    hub.detach(receiver)
    ask()
  }

  /// Asks for what the receivers want, at each change: the daemon sends satellites to a reader who wants them anew.
  private func ask() {
    let interests = hub.interests.subtracting(.locations)
    guard let (socket, asked) = connection, interests != asked else { return }
    socket.ask(for: interests)
    connection?.interests = interests
  }

  private func start() {
    do throws(Errno) {
      let wakeup = try Wakeup()
      let mailbox = MainActorMailbox<DaemonReport> { [weak self] in self?.receive($0, from: wakeup) }
      try Thread.start { [name, connect] in
        var client = DaemonClient(name: name, connect: connect, wakeup: wakeup, deliver: { mailbox.deliver($0) })
        client.run()
      }
      ownClock.start()
      (reading, status) = ((mailbox, wakeup), .connecting)
    } catch {
      hub.send(.failed(LocationError(.network, "no thread or descriptor to follow the daemon with: \(error)")))
    }
  }

  private func stop() {
    endReading()
    ownClock.leaveRecording()
    status = .idle
  }

  /// The thread is not joined, because it may be looking up a name. Its later reports are dropped.
  private func endReading() {
    reading?.mailbox.close()
    reading?.wakeup.signal()
    (reading, connection) = (nil, nil)
  }

  private func receive(_ reports: [DaemonReport], from wakeup: Wakeup) {
    for report in reports {
      // A receiver may end the reading in the middle of a batch.
      guard wakeup === reading?.wakeup else { return }
      switch report {
      case .connected(let socket): (connection, authorizationStatus) = ((socket, []), .authorizedAlways)
      case .waiting(let reason, let seconds, let error, let isDenied):
        connection = nil
        authorizationStatus =
          isDenied ? .denied : authorizationStatus == .denied ? .notDetermined : authorizationStatus
        ownClock.leaveRecording()
        // The error comes first, because a manager reports a refusal once.
        send((error.map { [.failed($0)] } ?? []) + [.status(.waiting(reason: reason, retryIn: seconds))], wakeup)
      case .clock(let seconds): ownClock.follow(seconds)
      case .event(.status(.finished)): send([.status(.finished), .finished], wakeup)
      case .event(let event): send([event], wakeup)
      case .other: break
      case .malformed: malformed.add(1, ordering: .relaxed)
      }
    }
    ask()
  }

  private func send(_ events: [LocationSourceEvent], _ wakeup: Wakeup) {
    ownClock.pass {
      for event in events where wakeup === reading?.wakeup {
        if case .status(let status) = event { self.status = status }
        hub.send(event)
      }
    }
  }
}
