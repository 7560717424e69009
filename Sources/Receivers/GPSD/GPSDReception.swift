import LocationKit

/// Makes a source's events of gpsd's reports, live or recorded: the connection, the epochs, and the receiver that is
/// followed. It has no clock, so the same reports at the same times give the same events.
struct GPSDReception {
  struct Limits {
    var staleAfter: Double
    var accuracyFilter: LocationAccuracy?
  }

  typealias Messages = [(level: GPSDLogLevel, text: String)]

  /// What one connection has told.
  private struct Session {
    var isWatching = false
    var epochs = EpochMerger()
    var devices: [String] = []
    var release = ""
    var errors = 0
    var hasMalformedLine = false
  }

  /// The most errors of gpsd that are logged in a connection.
  private static let errorLimit = 10

  private var endpoint = GPSDEndpoint()
  private var session = Session()
  private var selection = ReceiverSelection()
  /// Whether the reports have told of the connection. A part of a record may not.
  private var knowsConnection = false
  // What follows from the current report.
  private var events: [LocationSourceEvent] = []
  private var messages: Messages = []

  /// Takes a report that came at `now` on the source's clock. Returns the events for the receivers and the lines for the log
  /// that follow.
  mutating func receive(
    _ report: GPSDReport, at now: Double, for limits: Limits
  ) -> (events: [LocationSourceEvent], messages: Messages) {
    if report == .watch || report.isOfReceiver {
      if !knowsConnection, report != .watch { events.append(.status(.connected(devices: []))) }
      knowsConnection = true
    }
    take(report, at: now, for: limits)
    defer { (events, messages) = ([], []) }
    return (events, messages)
  }

  private mutating func take(_ report: GPSDReport, at now: Double, for limits: Limits) {
    switch report {
    case .connection(let change): take(change)
    case .log(let level, let text): messages.append((level, text))
    case .malformed:
      if !session.hasMalformedLine { log(.warning, "gpsd at \(endpoint.server) sent a line that is not valid") }
      session.hasMalformedLine = true
    case .other, .pulse, .unwanted, .line, .clockStep: break
    case .version(let release): session.release = release
    case .watch: establish()
    case .devices(let list): setDevices(list, at: now, for: limits)
    case .device(let path, isActive: true):
      if !session.devices.contains(path) { setDevices(session.devices + [path], at: now, for: limits) }
    case .device(let path, isActive: false):
      // A part of a record may not have listed it.
      forget(path, at: now, for: limits)
      setDevices(session.devices.filter { $0 != path }, at: now, for: limits)
    case .fix(let draft, let source):
      guard counts(source.device) else { break }
      if let event = session.epochs.receive(draft, from: source, at: now) {
        pass(event, of: source.device, at: now, for: limits)
      }
    case .sky(let device, let satellites, let seen, let used, let dilution):
      guard counts(device) else { break }
      session.epochs.receiveSky(of: device, seen: seen, used: used, dilution)
      if let satellites { pass(.satellites(satellites), of: device, at: now, for: limits) }
    case .heading(let device, let heading):
      if counts(device) { pass(.heading(heading), of: device, at: now, for: limits) }
    case .error(let message):
      session.errors += 1
      if session.errors <= Self.errorLimit { log(.warning, "gpsd says: \(printable(message))") }
    }
  }

  private mutating func take(_ change: GPSDConnectionChange) {
    switch change {
    case .started(let endpoint):
      self = GPSDReception()
      self.endpoint = endpoint
    case .continued(let endpoint):
      // The session goes on, unless the record begins with this piece.
      if endpoint != self.endpoint { (self.endpoint, session) = (endpoint, Session()) }
    case .connecting:
      knowsConnection = true
      session = Session()
      events.append(.status(.connecting))
    case .waiting(let reason, let delay, let error, _):
      events.append(.status(.waiting(reason: reason, retryIn: delay)))
      if let error { events.append(.failed(error)) }
    case .connected, .silent, .stopped: break
    }
  }

  private func counts(_ device: String?) -> Bool { endpoint.device == nil || endpoint.device == device }

  /// Passes on an event of a receiver if that one is followed. gpsd may not name it.
  private mutating func pass(_ event: LocationSourceEvent, of device: String?, at now: Double, for limits: Limits) {
    let receiver = device ?? ""
    let passes = selection.passes(
      event, of: receiver, at: now, staleAfter: limits.staleAfter, accuracyFilter: limits.accuracyFilter)
    guard passes else { return }
    if case .location(var location) = event, selection.contradicts(receiver, at: now) {
      location.sourceInformation?.signs.insert(.receivers)
      events.append(.location(location))
    } else {
      events.append(event)
    }
  }

  private mutating func establish() {
    guard !session.isWatching else { return }
    session.isWatching = true
    let devices = session.devices
    let list = devices.isEmpty ? "no device yet" : devices.map(printable).joined(separator: ", ")
    events.append(.status(.connected(devices: devices)))
    log(.info, "connected to gpsd \(printable(session.release)) at \(endpoint.server): \(list)")
    warnOfMissingDevice()
  }

  private mutating func forget(_ device: String, at now: Double, for limits: Limits) {
    session.epochs.remove(device)
    selection.remove(device, at: now, staleAfter: limits.staleAfter)
  }

  private mutating func setDevices(_ list: [String], at now: Double, for limits: Limits) {
    guard list != session.devices else { return }
    let gone = session.devices.filter { !list.contains($0) }
    let new = list.filter { !session.devices.contains($0) }
    session.devices = list
    for device in gone { forget(device, at: now, for: limits) }
    // gpsd lists its devices just before it confirms the watch; one event then reports both.
    guard session.isWatching else { return }
    events.append(.status(.connected(devices: list)))
    for device in gone { log(.notice, "gpsd no longer has \(printable(device))") }
    for device in new { log(.info, "gpsd has \(printable(device))") }
    if !gone.isEmpty { warnOfMissingDevice() }
  }

  private mutating func warnOfMissingDevice() {
    guard let device = endpoint.device, !session.devices.contains(device) else { return }
    log(.warning, "gpsd at \(endpoint.server) has no device \(device); waiting for it")
  }

  private mutating func log(_ level: GPSDLogLevel, _ text: String) { messages.append((level, text)) }

  /// The peer's text without characters that would garble a log.
  private func printable(_ text: String) -> String {
    String(
      String.UnicodeScalarView(text.unicodeScalars.prefix(200).map { $0.value < 0x20 || $0.value == 0x7F ? "?" : $0 }))
  }
}
