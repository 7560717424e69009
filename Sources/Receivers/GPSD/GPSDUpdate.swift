import LocationKit

/// What the reading thread hands to the main actor, from gpsd or from a record.
enum GPSDUpdate: Sendable, Equatable {
  /// A line of gpsd's, and its bytes if they are to be recorded.
  case report(GPSDReport, line: [UInt8]? = nil)
  case connection(GPSDConnectionChange)
  case log(GPSDLogLevel, String)

  /// The update of a replay, whose location says that it is not live.
  var recorded: GPSDUpdate {
    guard case .report(.fix(let draft, var source), _) = self else { return self }
    source.isSimulatedBySoftware = true
    return .report(.fix(draft, source))
  }
}

/// A change of the connection to gpsd. A record keeps it beside gpsd's lines.
enum GPSDConnectionChange: Sendable, Equatable {
  /// A run begins.
  case started(GPSDEndpoint)
  /// A piece of a record begins within a run.
  case continued(GPSDEndpoint)
  case connecting
  case connected
  /// There is no connection until the next try. `error` is the outage's, when it is reported.
  case waiting(reason: String, retryIn: Double, error: LocationError?, isDenied: Bool)
  /// Timers have run while gpsd was silent.
  case silent
  case stopped
}

/// Makes events of what gpsd and the connection report, live or recorded: the session, its epochs, and the receiver that
/// is followed. It has no clock, so the same updates at the same times give the same events.
struct GPSDReception {
  enum Outcome: Equatable {
    case event(LocationSourceEvent)
    case authorization(AuthorizationStatus)
    case log(GPSDLogLevel, String)
  }

  /// The limits of the source's listeners.
  struct Limits {
    var staleAfter: Double
    var accuracyFilter: LocationAccuracy?
  }

  private var endpoint = GPSDEndpoint()
  private var session = Session(endpoint: GPSDEndpoint())
  private var selection = ReceiverSelection()
  /// Whether the updates have told of the connection. A part of a record may not.
  private var knowsConnection = false

  /// Takes an update that came at `now` on the source's clock.
  mutating func receive(_ update: GPSDUpdate, at now: Double, for limits: Limits) -> [Outcome] {
    switch update {
    case .log(let level, let text): return [.log(level, text)]
    case .connection(let change): return receive(change)
    case .report(let report, _):
      var updates: [Session.Update] = []
      if !knowsConnection, report.isOfReceiver { updates.append(.event(.status(.connected(devices: [])))) }
      if report == .watch || report.isOfReceiver { knowsConnection = true }
      session.receive(report, at: now, into: &updates)
      return updates.compactMap { pass($0, at: now, for: limits) }
    }
  }

  private mutating func receive(_ change: GPSDConnectionChange) -> [Outcome] {
    switch change {
    case .started(let endpoint):
      self = GPSDReception()
      (self.endpoint, session) = (endpoint, Session(endpoint: endpoint))
    case .continued(let endpoint):
      // The session goes on, unless the record begins with this piece.
      if endpoint != self.endpoint { (self.endpoint, session) = (endpoint, Session(endpoint: endpoint)) }
    case .connecting:
      knowsConnection = true
      session = Session(endpoint: endpoint)
      return [.event(.status(.connecting))]
    case .connected: return [.authorization(.authorizedAlways)]
    case .waiting(let reason, let delay, let error, let isDenied):
      var outcomes: [Outcome] = isDenied ? [.authorization(.denied)] : []
      outcomes.append(.event(.status(.waiting(reason: reason, retryIn: delay))))
      if let error { outcomes.append(.event(.failed(error))) }
      return outcomes
    case .silent, .stopped: break
    }
    return []
  }

  private mutating func pass(_ update: Session.Update, at now: Double, for limits: Limits) -> Outcome? {
    switch update {
    case .report(let event, let receiver):
      let passes = selection.passes(
        event, of: receiver, at: now, staleAfter: limits.staleAfter, accuracyFilter: limits.accuracyFilter)
      guard passes else { return nil }
      guard case .location(var location) = event, selection.contradicts(receiver, at: now) else { return .event(event) }
      location.sourceInformation?.signs.insert(.receivers)
      return .event(.location(location))
    case .removed(let receiver):
      selection.remove(receiver, at: now, staleAfter: limits.staleAfter)
      return nil
    case .event(let event): return .event(event)
    case .log(let level, let text): return .log(level, text)
    }
  }
}
