import FoundationEssentials
import Journal
import LocationKit
import Platform

/// Decides what to send next, and tracks messages in flight and the acknowledged rows. Pure: no broker, no clock, no
/// file.
///
/// Rows are sent oldest first. At most a window of them is in flight or acknowledged ahead of the cursor, so an
/// interruption repeats at most a window. The cursor is before the first unacknowledged row; skipped rows do
/// not delay it.
struct Delivery {
  private enum Pace: Equatable {
    case window
    /// One, because this session has not acknowledged a row yet, and the last one may have ended because of a row.
    case careful
    /// One, because the broker has refused this row for a reason that may pass.
    case refused(Int64)
  }

  /// The receiver's fix after the rows read so far.
  private enum Fix: Equatable {
    case lost
    /// No location with this fix has been sent yet.
    case unsent
    case sent(Location)
  }

  private struct Held {
    var sequence: Int64
    var location: Location
    /// The time of the interval's first location.
    var start: Date
    /// When that location was read, on the monotonic clock.
    var opened: Double
  }

  static let batch = 256

  private let settings: PublisherConfiguration
  private var readTo: Int64
  private var privacy: PrivacyFilter
  private var backlog: ArraySlice<DisclosedEntry> = []
  private(set) var reachesEnd = false
  /// The rows after the cursor that are sent or held, each with the filter before it.
  private var rows: [(sequence: Int64, isAcknowledged: Bool, privacy: PrivacyFilter)] = []
  private var held: Held?
  private(set) var inFlight: [Int32: OutgoingMessage] = [:]
  private var pace = Pace.window
  private var fences: [Waypoint] = []
  private var announcements: ArraySlice<OutgoingMessage> = []
  /// The announcements of the fences, which are sent again if a session ends before their acknowledgement.
  private var fenceAnnouncements: [OutgoingMessage] = []
  private var states: [String: Bool] = [:]
  private var fix = Fix.lost
  private var hasNewState = false
  /// When a message was last sent, or the first session began, on the monotonic clock.
  private var lastSent: Double?
  private var rowAccount: RowAccount
  /// The account of the journal's rows after the first cursor, and of refused announcements.
  var account: Account { rowAccount.account }
  /// Whether to send the last location at once, without waiting for the end of its interval.
  var isDraining = false

  init(_ settings: PublisherConfiguration, cursor: Int64) {
    self.settings = settings
    readTo = cursor
    privacy = PrivacyFilter(settings.privacy)
    rowAccount = RowAccount(cursor: cursor)
  }

  /// The last row up to which all rows are acknowledged or skipped.
  var cursor: Int64 { rows.first.map { $0.sequence - 1 } ?? readTo }

  var isIdle: Bool { rows.isEmpty && inFlight.isEmpty && announcements.isEmpty && backlog.isEmpty }

  /// The row after which to read the next rows; `nil` while unsent rows are left.
  var wantsRowsAfter: Int64? { backlog.isEmpty ? readTo : nil }

  /// Adds the next rows. `newest` is the journal's last row; `states` tells whether the receiver was inside each fence
  /// before these rows, by the fence's name.
  mutating func receive(_ entries: [JournalEntry], newest: Int64, states: [String: Bool] = [:]) {
    backlog = []
    // Without any of them, the next rows were deleted, or none of a batch can be read.
    note(newest: newest, gone: entries.first.map { $0.sequence - 1 } ?? min(newest, readTo + Int64(Self.batch)))
    // In a hidden zone fences keep their states for the other side.
    if !privacy.isHidden {
      let known =
        settings.privacy.isExact
        ? states : states.filter { state in fences.contains { $0.region.identifier == state.key } }
      if self.states != known { (self.states, hasNewState) = (known, true) }
    }
    backlog = entries.map { privacy.disclose($0, fences: fences) }[...]
    reachesEnd = (entries.last?.sequence ?? readTo) >= newest
  }

  /// Notes the journal's last row, and the newest row that was deleted. Rows deleted before they were read are lost.
  mutating func note(newest: Int64, gone: Int64) {
    rowAccount.accept(through: newest)
    guard backlog.isEmpty, gone > readTo else { return }
    rowAccount.drop(readTo + 1...gone, .limit)
    readTo = gone
    rowAccount.settle(through: cursor)
  }

  /// Sets the fences and announces them, each by itself and all of them in one message. `earlier` are the names of
  /// fences of earlier runs.
  mutating func setFences(_ waypoints: [Waypoint], earlier: [String] = []) {
    let gone = Set(earlier + fences.map(\.region.identifier)).subtracting(waypoints.map(\.region.identifier)).sorted()
    var messages = waypoints.map { OutgoingMessage(topic: settings.topic + "/waypoint", OwnTracksMessage.waypoint($0)) }
    // An empty list means that there are no fences any more.
    if !waypoints.isEmpty || !fences.isEmpty { messages.append(waypointList(waypoints)) }
    if let home = settings.homeAssistant {
      messages += gone.map(home.withdrawal) + waypoints.map { home.fence($0.region.identifier) }
    }
    (fences, hasNewState) = (waypoints, true)
    announcements = announcements.filter { !fenceAnnouncements.contains($0) } + messages
    fenceAnnouncements = messages
  }

  private func waypointList(_ waypoints: [Waypoint]) -> OutgoingMessage {
    OutgoingMessage(topic: settings.topic + "/waypoints", OwnTracksMessage.waypoints(waypoints))
  }

  mutating func startSession() {
    hasNewState = true
    // The broker may have lost its retained messages.
    var messages: [OutgoingMessage] = []
    if let home = settings.homeAssistant {
      messages = [home.availability(true)] + home.device() + fences.map { home.fence($0.region.identifier) }
    }
    if let card = settings.card {
      let payload = OwnTracksMessage.card(card, trackerID: settings.trackerID)
      messages.append(OutgoingMessage(topic: settings.topic + "/info", payload, isRetained: true))
    }
    announcements = messages + announcements
  }

  /// Answers a command about messages. Commands that arrive faster than the broker accepts answers are ignored.
  mutating func answer(_ command: Command, time: Int) {
    guard announcements.count < window else { return }
    switch command {
    case .reportLocation:
      let payload = location.flatMap {
        OwnTracksMessage.location($0, trackerID: settings.trackerID, regions: regions, isAnswer: true, now: time)
      }
      announcements.append(payload.map { OutgoingMessage(topic: settings.topic, $0, isRetained: true) } ?? status(time))
    case .status: announcements.append(status(time))
    case .waypoints: announcements.append(waypointList(fences))
    case .setWaypoints: break
    }
  }

  private var location: Location? {
    switch fix {
    case .lost: nil
    case .unsent: held?.location
    case .sent(let location): held?.location ?? location
    }
  }

  private func status(_ time: Int) -> OutgoingMessage {
    OutgoingMessage(
      topic: settings.topic + "/status",
      OwnTracksMessage.status(trackerID: settings.trackerID, time: time, hasFix: fix != .lost))
  }

  /// The next message to send at `now` on the monotonic clock, and `time` in seconds since 1970.
  mutating func next(at now: Double, time: Int) -> OutgoingMessage? {
    let message = nextMessage(now, time)
    if message != nil || lastSent == nil { lastSent = now }
    return message
  }

  mutating func sent(_ message: OutgoingMessage, as identifier: Int32) { inFlight[identifier] = message }

  mutating func acknowledge(_ identifier: Int32, isRefused: Bool = false) {
    guard let message = inFlight.removeValue(forKey: identifier) else { return }
    // An acknowledged announcement does not show whether the row that may have ended the last session is accepted.
    if case .row = message.origin, pace == .careful { pace = .window }
    settle(message, isRefused: isRefused)
  }

  mutating func skip(_ message: OutgoingMessage) { settle(message, isRefused: true) }

  private mutating func settle(_ message: OutgoingMessage, isRefused: Bool) {
    guard case .row(let sequence) = message.origin else {
      if isRefused, message.origin != .heartbeat { rowAccount.refuseAnnouncement() }
      return
    }
    if isRefused { rowAccount.drop(sequence...sequence, .refused) }
    if let index = rows.firstIndex(where: { $0.sequence == sequence }) { rows[index].isAcknowledged = true }
    rows.removeFirst(rows.prefix(while: \.isAcknowledged).count)
    rowAccount.settle(through: cursor)
    if case .refused(let row) = pace, cursor >= row { pace = .window }
  }

  /// Notes a refusal that may pass. Until the broker accepts that row, rows go one at a time, because each try would
  /// repeat the rows behind it.
  mutating func refuse(_ identifier: Int32) {
    guard case .row(let sequence)? = inFlight.removeValue(forKey: identifier)?.origin else { return }
    if case .refused(let row) = pace, row < sequence { return }
    pace = .refused(sequence)
  }

  var isRefused: Bool { if case .refused = pace { true } else { false } }

  /// Ends the session: unacknowledged messages are sent again. A careful start sends the first one alone, because a
  /// broker that closes the connection because of a message among others does not name it.
  mutating func startOver(isCareful: Bool = false) {
    if !isRefused { pace = isCareful ? .careful : .window }
    let unacknowledged = inFlight.sorted { $0.key < $1.key }.map(\.value)
    announcements = (unacknowledged + announcements).filter(fenceAnnouncements.contains)
    privacy = rows.first?.privacy ?? backlog.first?.before ?? privacy
    readTo = cursor
    rowAccount.startOver()
    (inFlight, rows, held) = ([:], [], nil)
    (backlog, reachesEnd) = ([], false)
  }

  /// When `next` may have a message without a new row or an acknowledgement, on the monotonic clock.
  var deadline: Double? {
    if let held, let interval = settings.interval { return held.opened + interval }
    guard let heartbeat = settings.heartbeat, let lastSent, rows.isEmpty, inFlight.isEmpty else { return nil }
    return lastSent + heartbeat
  }

  // Parallel requests to a server would arrive in any order.
  private var window: Int { settings.session.address.peer == .server ? 1 : 20 }

  var hasRoom: Bool {
    let announced = inFlight.values.count { if case .row = $0.origin { false } else { true } }
    return rows.count + announced < (pace == .window ? window : 1)
  }

  private mutating func nextMessage(_ now: Double, _ time: Int) -> OutgoingMessage? {
    if hasRoom, let announcement = announcements.popFirst() { return announcement }
    while let entry = backlog.first {
      switch entry.record {
      case nil: consume(entry)
      case .error(let error, _):
        consume(entry)
        let endsFix = [.locationUnknown, .denied, .network].contains(error.code)
        if endsFix && fix != .lost { (fix, hasNewState) = (.lost, true) }
      case .crossing(let crossing):
        guard hasRoom else {
          // Acknowledged crossings after the held location may fill the window.
          guard let held, inFlight.isEmpty else { return nil }
          return release(held, isRetained: false, time)
        }
        if let message = send(crossing, entry) { return message }
      case .location(let location):
        guard let start = location.timestamp, OwnTracksMessage.isPublishable(location) else {
          consume(entry, .untimed)
          continue
        }
        guard let interval = settings.interval else {
          guard hasRoom else { return nil }
          rows.append((entry.sequence, false, entry.before))
          consume(entry)
          return send(location, entry.sequence, isRetained: !hasLaterLocation(in: backlog), time)
        }
        var newest = Held(sequence: entry.sequence, location: location, start: start, opened: now)
        if let current = held {
          let passed = start.timeIntervalSince(current.start)
          if passed >= interval || passed < 0 {
            return release(current, isRetained: !hasLaterLocation(in: backlog.dropFirst()), time)
          }
          rows.removeAll { $0.sequence == current.sequence }
          (newest.start, newest.opened) = (current.start, current.opened)
        } else if !hasRoom {
          return nil
        }
        held = newest
        rows.append((entry.sequence, false, entry.before))
        consume(entry)
      }
    }
    if let held, let interval = settings.interval, isDraining && reachesEnd || now >= held.opened + interval {
      return release(held, isRetained: reachesEnd, time)
    }
    return state() ?? heartbeat(now, time)
  }

  private mutating func state() -> OutgoingMessage? {
    guard let home = settings.homeAssistant, hasNewState, reachesEnd, hasRoom else { return nil }
    let location: Location?
    switch fix {
    case .lost: location = nil
    // The first location of an interval waits for the interval's end.
    case .unsent: return nil
    case .sent(let sent): location = sent
    }
    hasNewState = false
    let watched = Set(fences.map(\.region.identifier))
    return home.state(location, fences: states.filter { watched.contains($0.key) })
  }

  /// Moves past a row, which is not published if there is a cause.
  private mutating func consume(_ entry: DisclosedEntry, _ cause: Account.Cause? = nil) {
    readTo = entry.sequence
    if let cause { rowAccount.drop(readTo...readTo, cause) }
    if case .location? = entry.record, fix == .lost { fix = .unsent }
    backlog.removeFirst()
    rowAccount.settle(through: cursor)
  }

  private mutating func release(_ held: Held, isRetained: Bool, _ time: Int) -> OutgoingMessage? {
    self.held = nil
    return send(held.location, held.sequence, isRetained: isRetained, time)
  }

  private mutating func send(
    _ location: Location, _ sequence: Int64, isRetained: Bool, _ time: Int
  ) -> OutgoingMessage? {
    // A held location may be older than the loss of the fix.
    if fix != .lost { fix = .sent(location) }
    hasNewState = true
    return OwnTracksMessage.location(location, trackerID: settings.trackerID, regions: regions, now: time).map {
      OutgoingMessage(.row(sequence), topic: settings.topic, $0, isRetained: isRetained)
    }
  }

  private mutating func send(_ crossing: RegionCrossing, _ entry: DisclosedEntry) -> OutgoingMessage? {
    hasNewState = true
    let name = crossing.region.identifier
    states[name] = crossing.state == .inside
    let payload = OwnTracksMessage.transition(
      crossing, trackerID: settings.trackerID,
      // Only the name of a fence that is no longer watched is known.
      waypointTime: fences.first { $0.region.identifier == name }?.time ?? Waypoint.time(of: name))
    guard let payload else {
      consume(entry, .untimed)
      return nil
    }
    rows.append((entry.sequence, false, entry.before))
    consume(entry)
    return OutgoingMessage(.row(entry.sequence), topic: settings.topic + "/event", payload)
  }

  /// The last location again, or without a fix a status, because the position is unknown.
  private mutating func heartbeat(_ now: Double, _ time: Int) -> OutgoingMessage? {
    guard let deadline, held == nil, now >= deadline else { return nil }
    if case .sent(let last) = fix,
      let payload = OwnTracksMessage.heartbeat(last, trackerID: settings.trackerID, regions: regions, now: time)
    {
      return OutgoingMessage(.heartbeat, topic: settings.topic, payload, isRetained: true)
    }
    var status = status(time)
    status.origin = .heartbeat
    return status
  }

  private var regions: [String] { fences.map(\.region.identifier).filter { states[$0] == true }.sorted() }

  private func hasLaterLocation(in entries: ArraySlice<DisclosedEntry>) -> Bool {
    !reachesEnd
      || entries.contains {
        if case .location(let location)? = $0.record { OwnTracksMessage.isPublishable(location) } else { false }
      }
  }
}
