public import FoundationEssentials
public import Journal
import LocationKit
import Writing
import Platform
import Publishing
import Records

/// The collector's thread. It keeps a session with the broker; it reads, passes on, commits and acknowledges messages.
struct CollectorClient<Connector: SessionConnector>: LoopBody where Connector.Connection: SubscribingConnection {
  private struct Session {
    let connection: Connector.Connection
    /// On the monotonic clock.
    let began: Double
    var isSubscribed = false
    var end: BrokerFailure?
  }

  private let configuration: Collector.Configuration
  private let journal: (any DeviceJournal)?
  private let worker: Worker<Collector.Shared>
  private let host: Host
  private let onNotice: OutputNotice.Handler
  private let judge: any DeviceJudge
  private var connector: Connector
  private var session: Session?
  private var retry: BrokerRetry
  /// The end of the wait after a failure, on the host's clock.
  private var pauseEnd = -Double.infinity
  private var key: PayloadKey?
  /// Records that the journal did not accept. The collector receives nothing until it accepts them. The broker sends the
  /// messages again, and they become the same rows.
  private var unwritten: [DeviceRecord] = []
  private var journalRetry: Retry<JournalError.Reason, Date>
  /// Warnings that were logged once.
  private var warned: Set<String> = []
  /// How many messages of each device were accepted since `hour` on the monotonic clock.
  private var counts: [String: Int] = [:]
  /// The devices that have exceeded the limit since then.
  private var floods: Set<String> = []
  private var hour = -Double.infinity

  /// The approximate maximum number of messages in one transaction.
  private static var batch: Int { 1000 }

  init(
    _ configuration: Collector.Configuration, journal: (any DeviceJournal)?, judge: any DeviceJudge,
    worker: Worker<Collector.Shared>, connector: Connector, host: Host, onNotice: @escaping OutputNotice.Handler
  ) {
    self.configuration = configuration
    (self.journal, self.judge) = (journal, judge)
    (self.worker, self.connector, self.host) = (worker, connector, host)
    self.onNotice = onNotice
    retry = BrokerRetry(configuration.session)
    journalRetry = Retry(
      minimum: configuration.session.minimumRetryDelay, maximum: configuration.session.maximumRetryDelay)
  }

  /// Acts until it has to wait. It ends when it is stopped.
  mutating func step() -> LoopState {
    do {
      if worker.stopping.isSignalled { return end() }
      if let session {
        try continueSession(session)
      } else {
        let due = judge.advance()
        if host.seconds() < pauseEnd { return .waiting(until: min(pauseEnd, due)) }
        // Without a journal there is no session, because messages could not be stored. They stay at the broker.
        try commit()
        try startSession()
      }
      return .waiting(until: min(judge.advance(), host.seconds() + 5))
    } catch {
      if error as? BrokerFailure == .stopped { return end() }
      pauseEnd = host.seconds() + reportFailure(error)
      session = nil
      return .ready
    }
  }

  mutating func wait(until deadline: Double) -> Bool {
    guard let session else { return worker.wait(until: deadline, on: host) }
    do throws(BrokerFailure) {
      return try session.connection.receive(
        limit: Self.batch, bell: worker.bell, stop: worker.stopping, until: deadline)
    } catch {
      self.session?.end = error
      return true
    }
  }

  private mutating func end() -> LoopState {
    session?.connection.disconnect()
    try? commit()
    return .ended
  }

  private mutating func startSession() throws {
    // A connection that is released has acknowledged only committed messages.
    let connection: Connector.Connection
    (connection, key) = try connector.open { _ in nil }
    for subscription in configuration.subscriptions { try connection.subscribe(to: subscription) }
    try connection.flush()
    session = Session(connection: connection, began: host.seconds())
  }

  private mutating func continueSession(_ session: Session) throws {
    let connection = session.connection
    if let end = session.end { throw end }
    if connection.maySubscribe == false {
      let subscriptions = configuration.subscriptions.joined(separator: ", ")
      throw BrokerFailure.refused("the broker does not let this client read \(subscriptions)")
    }
    if !session.isSubscribed, connection.maySubscribe == true {
      self.session?.isSubscribed = true
      noteSession()
    }
    let batch = read(connection.takeMessages())
    if !batch.contents.isEmpty { judge.receive(batch.contents) }
    try commit()
    counts.merge(batch.counts, uniquingKeysWith: +)
    try connection.flush()
  }

  private struct Batch {
    var contents: [Collector.Message] = []
    var counts: [String: Int] = [:]
  }

  private mutating func read(_ messages: [BrokerConnection.Message]) -> Batch {
    var batch = Batch()
    guard !messages.isEmpty else { return batch }
    let now = host.date()
    var refused: [String: Int] = [:]
    if host.seconds() - hour >= 3600 { (counts, floods, hour) = ([:], [], host.seconds()) }
    for message in messages {
      guard let device = configuration.filters.lazy.compactMap({ $0.device(of: message.topic) }).first else {
        refused["noDevice", default: 0] += 1
        let reason = "its topic names no device, or one of more than \(TopicFilter.limit) bytes"
        warn(once: "a message on \(MQTTText.quoted(message.topic)) is ignored: \(reason)", as: "noDevice")
        continue
      }
      // An empty message clears a topic.
      if message.payload.isEmpty { continue }
      batch.counts[device, default: 0] += 1
      // Messages that come again, because they were not stored, are not counted twice.
      guard counts[device, default: 0] + batch.counts[device, default: 0] <= configuration.deviceLimit else {
        reportFlood(of: device)
        refused["flood", default: 0] += 1
        continue
      }
      do throws(DeviceMessage.Problem) {
        let (content, battery) = try DeviceMessage.read(message.payload, from: device, key: key)
        let name: String? = if case .card(let name) = content { name } else { nil }
        batch.contents.append(
          Collector.Message(
            device: device, record: DeviceRecord(content, received: now), name: name, battery: battery))
      } catch {
        refused["\(error)", default: 0] += 1
        warn(once: "a message on \(MQTTText.quoted(message.topic)) is ignored: \(error.text)", as: "\(error)")
      }
    }
    let locations = batch.contents.count { if case .location = $0.record?.record { true } else { false } }
    let ahead = batch.contents.count(where: \.isAhead)
    worker.withState { shared in
      shared.statistics.messages += messages.count
      shared.statistics.locations += locations
      shared.statistics.ahead += ahead
      shared.statistics.refused.merge(refused, uniquingKeysWith: +)
    }
    if let early = batch.contents.first(where: \.isAhead) {
      warn(once: "the clock of \(early.device) is ahead; its messages are kept and not shown", as: "ahead")
    }
    return batch
  }

  private mutating func reportFlood(of device: String) {
    guard floods.insert(device).inserted else { return }
    let text = "\(device) has sent more than \(configuration.deviceLimit) messages within an hour"
    onNotice(OutputNotice(.warning, "\(text); its further messages in that hour are counted and ignored"))
  }

  private mutating func commit() throws {
    let records = judge.takeRecords()
    guard let journal else { return }
    unwritten += records
    // An empty commit checks whether a failed journal works again.
    guard !unwritten.isEmpty || journalRetry.isFailing else { return }
    let crossings = unwritten.count {
      if case .crossing(let crossing) = $0.record { !crossing.isReported } else { false }
    }
    worker.withState { $0.crossings = crossings }
    try journal.commit(unwritten)
    for notice in journal.takeNotices() { onNotice(OutputNotice(.warning, "\(journal.name) \(notice)")) }
    let account = worker.withState { shared in
      shared.crossings = 0
      shared.statistics.account.accept(unwritten.count)
      shared.statistics.account.write(unwritten.count)
      return shared.statistics.account
    }
    unwritten = []
    guard journalRetry.succeed() else { return }
    onNotice(OutputNotice(.notice, "\(journal.name) can be written again; \(account.lossSoFar)"))
  }

  private mutating func noteSession() {
    worker.withState { ($0.statistics.isConnected, $0.statistics.outage) = (true, nil) }
    guard retry.succeed(session: 0) || warned.insert("listening").inserted else { return }
    let filters = configuration.filters.map(\.text).joined(separator: ", ")
    onNotice(OutputNotice(.notice, "listening to \(configuration.session.address) for \(filters)"))
  }

  private mutating func warn(once text: String, as kind: String) {
    if warned.insert(kind).inserted { onNotice(OutputNotice(.warning, "\(text); further ones are only counted")) }
  }

  /// Reports a failure, once for each kind of outage. Returns the seconds to wait until the next try.
  private mutating func reportFailure(_ error: any Error) -> Double {
    let (now, random) = (host.date(), host.random())
    let (reason, report, wait): (String, String?, Double)
    if let error = error as? JournalError {
      let (pause, isNews) = journalRetry.fail(error.reason, at: now, random: random)
      if error.reason == .removed { worker.withState { $0.statistics.account.hasFailed = true } }
      (reason, wait) = (error.message, pause)
      report = isNews ? "\(reason); messages wait at the broker meanwhile" : nil
    } else {
      let failure = error as? BrokerFailure ?? .system("\(error)")
      let seconds = session.map { host.seconds() - $0.began }
      let (news, pause) = retry.fail(failure, session: seconds, at: now, random: random)
      (reason, wait) = (failure.reason, pause)
      report = news.map { "cannot listen to \(configuration.session.address): \($0.reason); still trying" }
    }
    worker.withState { shared in
      let since = shared.statistics.outage?.since ?? now
      shared.statistics.isConnected = false
      shared.statistics.outage = OutputOutage(reason: reason, since: since)
    }
    if let report { onNotice(OutputNotice(.warning, report)) }
    return wait
  }
}

extension DeviceRecord {
  /// Seconds that a clock may be ahead: more than the clocks of synchronized hosts differ.
  private static let tolerance = 300.0

  /// Creates a record from a message; `nil` if the message is not stored.
  init?(_ content: DeviceMessage, received: Date) {
    let record: JournalRecord
    switch content {
    case .location(let location): record = .location(location)
    case .transition(let crossing): record = .crossing(crossing)
    case .card, .other: return nil
    }
    let isAhead = record.time.map { $0.timeIntervalSince(received) > Self.tolerance } ?? false
    self.init(record, received: received, isAhead: isAhead)
  }

  /// Creates a record whose number depends on its content and not on the message's bytes: a repeated message may be
  /// encrypted again, or have another sending time. Journals keep the number, so it never changes.
  public init(_ record: JournalRecord, received: Date, isAhead: Bool = false) {
    var number = ContentNumber()
    switch record {
    case .location(let location): number.add(location, RecordMember.location)
    case .crossing(let crossing): number.add(crossing, RecordMember.crossing)
    case .error(let error, _): number.add(error, RecordMember.error)
    }
    self.init(record, message: Int64(bitPattern: number.value), received: received, isAhead: isAhead)
  }
}

/// A number of the members of a record that have a value. Members that are added to the list later do not change it.
private struct ContentNumber {
  private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

  mutating func add<Record>(_ record: Record, _ members: [RecordMember<Record>]) {
    for (index, member) in members.enumerated() {
      let bits: UInt64? =
        switch member.access {
        case .time(let get, _): get(record).map { ($0.timeIntervalSinceReferenceDate + 0).bitPattern }
        // Adding zero makes a zero of a negative one, which equals it.
        case .angle(let get, _), .measure(let get, _): get(record).map { ($0 + 0).bitPattern }
        case .whole(let get, _): get(record).map { UInt64(bitPattern: Int64($0)) }
        case .flag(let get, _): get(record).map { $0 ? 1 : 0 }
        case .text(let get, _): get(record).map { stableHash(Array($0.utf8)) }
        }
      if let bits {
        mix(UInt64(index))
        mix(bits)
      }
    }
  }

  /// The finalizer of SplitMix64, so that each bit changes all.
  private mutating func mix(_ bits: UInt64) {
    value = (value ^ bits) &+ 0x9E37_79B9_7F4A_7C15
    value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
    value ^= value >> 31
  }
}

extension DeviceMessage.Problem {
  var text: String {
    switch self {
    case .tooLong: "it is longer than \(DeviceMessage.limit >> 10) KiB"
    case .malformed: "it is not a message of OwnTracks"
    case .noTime: "it has no time between 1970 and 2099"
    case .noPlace: "it has no valid coordinate"
    case .encrypted: "it is encrypted with another key, or no key is configured"
    }
  }
}
