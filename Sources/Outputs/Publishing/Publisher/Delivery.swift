import FoundationEssentials
import Journal
import LocationKit
import Platform

/// Decides what to send next, and tracks messages in flight and the acknowledged rows. Pure: no broker, no clock, no
/// file.
///
/// Rows are sent oldest first. At most a window of them is in flight or acknowledged ahead of the cursor, so an
/// interruption repeats at most a window. The cursor is before the first unacknowledged row; rows that are left out do
/// not delay it.
struct Delivery {
  /// What to publish, and how often.
  struct Rules: Sendable {
    var topic: String
    var trackerID: String?
    /// The least number of seconds between two locations; `nil` sends all of them.
    var interval: Double?
    /// The seconds without a message after which the last location is sent again; `nil` for never.
    var heartbeat: Double?
    /// The device's name and picture; `nil` for none.
    var card: Card?
    /// The messages for Home Assistant; `nil` for none.
    var homeAssistant: HomeAssistant?
    var window = 20
  }

  /// A row after the cursor.
  private struct Row {
    enum State { case held, sent, acknowledged }
    var sequence: Int64
    var state: State
  }

  /// The newest location of an open interval.
  private struct Held {
    var sequence: Int64
    var location: Location
    /// The time of the interval's first location.
    var start: Date
    /// When that location was taken, on the monotonic clock.
    var opened: Double
  }

  private let rules: Rules
  private var readTo: Int64
  private var backlog: ArraySlice<JournalEntry> = []
  /// Whether the backlog reaches the journal's last row.
  private var reachesEnd = false
  private var rows: [Row] = []
  private var held: Held?
  private var inFlight: [Int32: Outgoing] = [:]
  /// The row that the broker has refused for a reason that may pass.
  private var refused: Int64?
  /// Whether messages are sent one at a time because this session has not acknowledged a row yet.
  private var isCareful = false
  private var fences: [Waypoint] = []
  private var announcements = Announcements()
  /// Whether the receiver is inside each fence after the rows read so far, by the fence's name.
  private var states: [String: Bool] = [:]
  private var last: Location?
  /// Whether the rows read so far end with a fix rather than its loss.
  private var hasFix = false
  /// Whether Home Assistant needs a new state.
  private var hasNewState = false
  /// When a message was last sent, or the first session began, on the monotonic clock.
  private var lastSent: Double?
  private var ledger: RowLedger
  /// The account of the journal's rows after the first cursor, and of refused announcements.
  var account: Account { ledger.account }

  /// Whether to send the last location at once, without waiting for the end of its interval.
  var isDraining = false

  /// The key that encrypts payloads; `nil` for plain payloads.
  var key: PayloadKey?

  /// Starts after `cursor`.
  init(_ rules: Rules, cursor: Int64) {
    self.rules = rules
    readTo = cursor
    ledger = RowLedger(cursor: cursor)
  }

  /// The last row up to which all rows are acknowledged or left out.
  var cursor: Int64 { rows.first.map { $0.sequence - 1 } ?? readTo }

  /// Whether nothing is in flight and no announcement waits.
  var isIdle: Bool { rows.isEmpty && inFlight.isEmpty && announcements.isEmpty && backlog.isEmpty }

  /// The number of messages in flight.
  var inFlightCount: Int { inFlight.count }

  /// The row after which to read the next rows; `nil` while unsent rows are left.
  var wantsRowsAfter: Int64? { backlog.isEmpty ? readTo : nil }

  /// Adds the next rows.
  ///
  /// - Parameters:
  ///   - newest: The journal's last row.
  ///   - states: Whether the receiver was inside each fence before these rows, by the fence's name.
  mutating func take(_ entries: [JournalEntry], newest: Int64, states: [String: Bool] = [:]) {
    backlog = []
    note(newest: newest, gone: (entries.first?.sequence ?? 1) - 1)
    backlog = entries[...]
    if self.states != states { hasNewState = true }
    self.states = states
    reachesEnd = (entries.last?.sequence ?? readTo) >= newest
  }

  /// Notes the journal's last row, and the newest row that was deleted. Rows deleted before they were read are lost.
  mutating func note(newest: Int64, gone: Int64) {
    ledger.accept(through: newest)
    guard backlog.isEmpty, gone > readTo else { return }
    ledger.drop(readTo + 1...gone, .limit)
    readTo = gone
    ledger.settle(through: cursor)
  }

  /// Whether the journal has unread rows.
  var hasMore: Bool { !reachesEnd }

  /// Sets the fences and announces them, each by itself and all of them in one message.
  ///
  /// - Parameter others: The names of fences of earlier runs.
  mutating func setFences(_ waypoints: [Waypoint], others: [String] = []) {
    let gone = Set(others + fences.map(\.region.identifier)).subtracting(waypoints.map(\.region.identifier)).sorted()
    let messages = waypoints.map { ("/waypoint", OwnTracksMessage.waypoint($0)) }
    // An empty list means that there are no fences any more.
    let list = waypoints.isEmpty && fences.isEmpty ? [] : [("/waypoints", OwnTracksMessage.waypoints(waypoints))]
    fences = waypoints
    hasNewState = true
    let sensors = rules.homeAssistant.map { home in
      gone.map(home.withdrawal) + waypoints.map { home.fence($0.region.identifier) }
    }
    announcements.replaceNews(
      by: (messages + list).map { Announcement(topic: rules.topic + $0.0, payload: $0.1) } + (sensors ?? []))
  }

  /// Begins a session with the broker.
  mutating func startSession() {
    hasNewState = true
    // The broker may have lost its retained messages.
    if let card = rules.card {
      let payload = OwnTracksMessage.card(card, trackerID: rules.trackerID)
      announcements.begin(with: [Announcement(topic: rules.topic + "/info", payload: payload, isRetained: true)])
    }
    guard let home = rules.homeAssistant else { return }
    announcements.begin(
      with: [home.availability(true)] + home.device() + fences.map { home.fence($0.region.identifier) })
  }

  /// Answers a command about messages. Commands that come faster than the broker takes answers are ignored.
  ///
  /// - Parameter time: Seconds since 1970 on the host's clock.
  mutating func answer(_ command: Command, time: Int) {
    guard announcements.count < rules.window else { return }
    switch command {
    case .reportLocation:
      let location = hasFix ? held?.location ?? last : nil
      let payload = location.flatMap {
        OwnTracksMessage.location($0, trackerID: rules.trackerID, regions: regions, isAnswer: true, now: time)
      }
      announcements.add(
        payload.map { Announcement(topic: rules.topic, payload: $0, isRetained: true) } ?? status(time))
    case .status: announcements.add(status(time))
    case .waypoints:
      announcements.add(
        Announcement(topic: rules.topic + "/waypoints", payload: OwnTracksMessage.waypoints(fences)))
    case .setWaypoints: break
    }
  }

  private func status(_ time: Int) -> Announcement {
    Announcement(
      topic: rules.topic + "/status",
      payload: OwnTracksMessage.status(trackerID: rules.trackerID, time: time, hasFix: hasFix))
  }

  /// The next message to send now; `nil` when there is no message or the window is full.
  ///
  /// - Parameters:
  ///   - now: Seconds on the monotonic clock.
  ///   - time: Seconds since 1970 on the host's clock.
  mutating func next(at now: Double, time: Int) -> Outgoing? {
    guard var message = nextMessage(now, time) else {
      if lastSent == nil { lastSent = now }
      return nil
    }
    lastSent = now
    if let key { message.payload = key.encrypted(message.payload) }
    return message
  }

  /// Notes the number of a message in flight.
  mutating func sent(_ message: Outgoing, as identifier: Int32) {
    inFlight[identifier] = message
  }

  /// The message in flight if it is the only one.
  var only: (identifier: Int32, message: Outgoing)? { inFlight.count == 1 ? inFlight.first.map { ($0, $1) } : nil }

  /// The message in flight with this number.
  func message(_ identifier: Int32) -> Outgoing? { inFlight[identifier] }

  /// Notes an acknowledgement or a permanent refusal.
  mutating func acknowledge(_ identifier: Int32, isRefused: Bool = false) {
    guard let message = inFlight.removeValue(forKey: identifier) else { return }
    // Announcements at the start of a session do not show whether the row that may have ended the last session is
    // accepted.
    if case .row = message.origin { isCareful = false }
    settle(message, isRefused: isRefused)
  }

  /// Skips a message that will never be accepted.
  mutating func leaveOut(_ message: Outgoing) { settle(message, isRefused: true) }

  private mutating func settle(_ message: Outgoing, isRefused: Bool) {
    guard case .row(let sequence) = message.origin else {
      if isRefused, message.origin != .heartbeat { ledger.refuseAnnouncement() }
      return
    }
    if isRefused { ledger.drop(sequence...sequence, .refused) }
    if let index = rows.firstIndex(where: { $0.sequence == sequence }) { rows[index].state = .acknowledged }
    while let row = rows.first, row.state == .acknowledged {
      rows.removeFirst()
    }
    ledger.settle(through: cursor)
    if let refused, cursor >= refused { self.refused = nil }
  }

  /// Notes a refusal that may pass. Until the broker accepts that row, rows go one at a time, because each try would
  /// repeat the rows behind it.
  mutating func refuse(_ identifier: Int32) {
    guard case .row(let sequence)? = inFlight.removeValue(forKey: identifier)?.origin else { return }
    refused = min(refused ?? sequence, sequence)
  }

  /// Whether a refused row waits.
  var isRefused: Bool { refused != nil }

  /// Notes the end of the session: unacknowledged messages are sent again.
  ///
  /// - Parameter isCareful: Whether to send the first message alone. When a broker closes the connection because of a
  ///   message among others, its answer is lost.
  mutating func startOver(isCareful: Bool = false) {
    self.isCareful = isCareful
    announcements.startOver(inFlight.sorted { $0.key < $1.key }.map(\.value.origin))
    inFlight = [:]
    readTo = cursor
    rows = []
    ledger.startOver()
    held = nil
    backlog = []
    reachesEnd = false
  }

  /// When `next` may have a message without a new row or an acknowledgement, on the monotonic clock.
  var deadline: Double? {
    if let held, let interval = rules.interval { return held.opened + interval }
    guard let heartbeat = rules.heartbeat, let lastSent, rows.isEmpty, inFlight.isEmpty else { return nil }
    return lastSent + heartbeat
  }

  /// Whether the window has room.
  var hasRoom: Bool {
    let others = inFlight.values.count { if case .row = $0.origin { false } else { true } }
    return rows.count + others < (isRefused || isCareful ? 1 : rules.window)
  }

  private mutating func nextMessage(_ now: Double, _ time: Int) -> Outgoing? {
    if hasRoom, let announcement = announcements.next() { return announcement }
    while let entry = backlog.first {
      switch entry.record {
      case .error(let error, _):
        consume(entry)
        if error.code.endsFix, hasFix { (hasFix, hasNewState) = (false, true) }
      case .crossing(let crossing):
        guard hasRoom else { return releaseIfAlone(time) }
        if let message = send(crossing, entry) { return message }
      case .location(let location):
        guard let start = location.timestamp, OwnTracksMessage.isPublishable(location) else {
          consume(entry, .untimed)
          continue
        }
        guard let interval = rules.interval else {
          guard hasRoom else { return nil }
          rows.append(Row(sequence: entry.sequence, state: .sent))
          consume(entry)
          return send(location, entry.sequence, isRetained: !hasLaterLocation(in: backlog), time)
        }
        if let current = held {
          let passed = start.timeIntervalSince(current.start)
          if passed >= interval || passed < 0 {
            return release(current, isRetained: !hasLaterLocation(in: backlog.dropFirst()), time)
          }
          rows.removeAll { $0.sequence == current.sequence }
          hold(Held(sequence: entry.sequence, location: location, start: current.start, opened: current.opened))
        } else {
          guard hasRoom else { return nil }
          hold(Held(sequence: entry.sequence, location: location, start: start, opened: now))
        }
        consume(entry)
      }
    }
    if let held, let interval = rules.interval, isDraining && reachesEnd || now >= held.opened + interval {
      return release(held, isRetained: reachesEnd, time)
    }
    return state() ?? heartbeat(now, time)
  }

  /// The state for Home Assistant, if it has changed and the newest rows were read.
  private mutating func state() -> Outgoing? {
    guard let home = rules.homeAssistant, hasNewState, reachesEnd, hasRoom else { return nil }
    // The first location of an interval waits for the interval's end.
    if hasFix && last == nil { return nil }
    hasNewState = false
    let watched = Set(fences.map(\.region.identifier))
    return Outgoing(home.state(hasFix ? last : nil, fences: states.filter { watched.contains($0.key) }))
  }

  /// Moves past a row, which is not published if there is a cause.
  private mutating func consume(_ entry: JournalEntry, _ cause: Account.Cause? = nil) {
    readTo = entry.sequence
    if let cause { ledger.drop(readTo...readTo, cause) }
    if case .location = entry.record { hasFix = true }
    backlog.removeFirst()
    ledger.settle(through: cursor)
  }

  private mutating func hold(_ held: Held) {
    rows.append(Row(sequence: held.sequence, state: .held))
    self.held = held
  }

  private mutating func release(_ held: Held, isRetained: Bool, _ time: Int) -> Outgoing? {
    self.held = nil
    if let index = rows.firstIndex(where: { $0.sequence == held.sequence }) { rows[index].state = .sent }
    return send(held.location, held.sequence, isRetained: isRetained, time)
  }

  /// Releases the held location when the window is full of acknowledged crossings after it.
  private mutating func releaseIfAlone(_ time: Int) -> Outgoing? {
    guard let held, inFlight.isEmpty else { return nil }
    return release(held, isRetained: false, time)
  }

  private mutating func send(_ location: Location, _ sequence: Int64, isRetained: Bool, _ time: Int) -> Outgoing? {
    last = location
    hasNewState = true
    return OwnTracksMessage.location(location, trackerID: rules.trackerID, regions: regions, now: time).map {
      Outgoing(origin: .row(sequence), topic: rules.topic, payload: $0, isRetained: isRetained)
    }
  }

  private mutating func send(_ crossing: RegionCrossing, _ entry: JournalEntry) -> Outgoing? {
    hasNewState = true
    let name = crossing.region.identifier
    states[name] = crossing.state == .inside
    let payload = OwnTracksMessage.transition(
      crossing, trackerID: rules.trackerID,
      // Only the name of a fence that is no longer watched is known.
      waypointTime: fences.first { $0.region.identifier == name }?.time ?? Waypoint.time(of: name))
    guard let payload else {
      consume(entry, .untimed)
      return nil
    }
    rows.append(Row(sequence: entry.sequence, state: .sent))
    consume(entry)
    return Outgoing(origin: .row(entry.sequence), topic: rules.topic + "/event", payload: payload)
  }

  /// The last location again, or without a fix a status, because the position is unknown.
  private mutating func heartbeat(_ now: Double, _ time: Int) -> Outgoing? {
    guard let deadline, held == nil, now >= deadline else { return nil }
    if hasFix, let last,
      let payload = OwnTracksMessage.heartbeat(last, trackerID: rules.trackerID, regions: regions, now: time)
    {
      return Outgoing(origin: .heartbeat, topic: rules.topic, payload: payload, isRetained: true)
    }
    let status = status(time)
    return Outgoing(origin: .heartbeat, topic: status.topic, payload: status.payload)
  }

  /// The watched fences that the receiver is inside.
  private var regions: [String] { fences.map(\.region.identifier).filter { states[$0] == true }.sorted() }

  private func hasLaterLocation(in entries: ArraySlice<JournalEntry>) -> Bool {
    !reachesEnd
      || entries.contains {
        if case .location(let location) = $0.record { OwnTracksMessage.isPublishable(location) } else { false }
      }
  }
}

extension LocationError.Code {
  /// Whether this error means the loss of the fix.
  fileprivate var endsFix: Bool { [.locationUnknown, .denied, .network].contains(self) }
}
