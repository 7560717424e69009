import ArgumentParser
import FoundationEssentials
import LocationKit
import Platform
import Records
import Rx
import RxBinding
import RxLocation
import TestSupport

@testable import GPSD
@testable import Journal
@testable import Writing
@testable import Publishing
@testable import rxlocationd

/// One run of `rxlocationd run`.
@MainActor
final class ReceiverProgram {
  static let client = "car"

  let life = Life()
  let journal: any ReceiverJournal
  private unowned let host: ReceiverHost
  private let pipeline: Pipeline
  private let output: JournalOutput
  private let standardOutput: LocationStream
  private let regionLog: RecordStream
  private let record: RecordStream
  private let source: GPSDSource
  /// The lines that the record was given.
  private var recordLines: [String] = []
  private let publisher: Publisher
  private let publishing: any JournalQueue
  private let copier: JournalCopier
  private let copying: any JournalQueue
  private let bag = DisposeBag()
  /// The records that the journal was given: the numbers of fixes, and 0 for others, with the time of their commit.
  private(set) var given: [(number: Int, committed: Double)] = []
  private var commits = 0
  /// The rows whose acknowledgement the publisher has got.
  var acknowledged: Set<Int64> = []
  private let start: Double
  private let firstRow: Int64
  /// At the start: the newest row that was deleted, and how many deleted rows each reader had not read.
  private let (firstGone, knownLosses): (Int64, Int64)
  /// Up to where the publisher had read the journal at the start.
  private let firstCursor: Int64
  private var regionUpdates = 0
  private let (streamWords, logWords): (Words, Words)
  /// How often in a row a state was not that of the world.
  private var wrong = (publishing: 0, copying: 0)
  /// The last error, until there is a fix, and the start of gpsd before it.
  private var error: (code: LocationError.Code, start: Int)?

  init(_ host: ReceiverHost) throws {
    self.host = host
    let (world, life) = (host.world, life)
    let system = world.host { life.isOn }
    (start, streamWords, logWords) = (world.now, Words(world), Words(world))
    source = GPSDSource(
      endpoint: GPSDEndpoint(), configuration: GPSDConfiguration(random: system.random),
      clock: WorldClock(world) { life.isOn }, host: system
    ) { [gpsd = host.gpsd] _ in gpsd.connector() }
    var settings = try Settings.parse([])
    settings.watch.fences = host.fences
    pipeline = Pipeline(source: source, settings: settings)
    if host.isTemporary {
      journal = try MemoryJournal(limit: host.journalLimit, mode: .live, host: system, onNotice: Words(world).handler)
    } else {
      journal = try JournalWriter(
        path: host.journalPath, limit: host.journalLimit, mode: .live, host: system, onNotice: Words(world).handler)
    }
    output = JournalOutput(journal, isTemporary: host.isTemporary)
    standardOutput = try LocationStream(
      NDJSONFormatter(), to: host.standardOutput.open { life.isOn }, mode: .live, limit: 1 << 14, host: system,
      onNotice: streamWords.handler, onEnd: { _ in })
    regionLog = try RecordStream(
      to: host.regionLog.open { life.isOn }, mode: .live, limit: 1 << 14, host: system,
      describeDropped: { count, buffer in
        NDJSONFormatter().append(dropped: count, to: &buffer)
      }, onNotice: logWords.handler, onEnd: { _ in })
    record = try RecordStream(
      record: host.recordPath, limit: ReceiverHost.recordLimit, isLine: { GPSDRecordDecoder.isRecord($0) },
      header: { GPSDRecordDecoder.header(of: GPSDEndpoint(), notBefore: .distantPast, before: $0) }, host: system,
      onNotice: Words(world).handler)
    publishing = try journal.reader(named: "publish")
    (firstRow, firstCursor) = (try publishing.newestSequence(), publishing.cursor)
    var configuration = PublisherConfiguration(
      address: try PublishingAddress(parsingBroker: "mqtt://broker"), topic: "owntracks/ann/car", clientID: Self.client)
    configuration.heartbeat = 300
    publisher = try Publisher(
      configuration, queue: publishing, Worker(Publisher.Shared(fences: host.fences.map(\.circle))),
      host.broker.connector(Self.client) { life.isOn }, host: system, onFences: { _ in },
      onNotice: Words(world).handler)
    copying = try journal.reader(named: "database")
    copier = try JournalCopier(
      from: copying, to: host.database.open { life.isOn }, device: "car",
      source: { [journal] in journal.statistics.account }, host: system,
      onNotice: Words(world).handler)
    let gone = try publishing.waiting().gone
    (firstGone, knownLosses) = (gone, [publishing, copying].reduce(0) { $0 + max(0, gone - $1.cursor) })
    world.check(publishing.cursor >= host.cursors.published, "the publisher begins at row \(publishing.cursor) again")
    world.check(copying.cursor >= host.cursors.copied, "the copier begins at row \(copying.cursor) again")
    bind()
    pipeline.start(knowing: output.fences)
    checkStates()
  }

  private func bind() {
    journal.onCommit { [publisher, copier, weak self] _ in
      publisher.wake()
      copier.wake()
      MainActor.assumeIsolated { self?.noteCommit() }
    }
    let rx = pipeline.locationManager.rx
    // Before the journal's own bindings, so that a commit finds its records.
    rx.didUpdateLocations
      .bind(to: Binder(self) { program, locations in program.noteFixes(locations) })
      .disposed(by: bag)
    pipeline.errors
      .bind(to: Binder(self) { program, error in program.noteError(error) })
      .disposed(by: bag)
    rx.didCrossRegion
      .bind(to: Binder(self) { program, _ in program.given.append((0, .infinity)) })
      .disposed(by: bag)
    source.onRecord = { [record, weak self] line in
      self?.recordLines.append(String(decoding: line.dropLast(), as: UTF8.self))
      record.append(line)
    }
    let view = pipeline.view(for: .exact)
    output.bind(to: view)
    rx.didUpdateLocations.bind(to: standardOutput.rx.locations).disposed(by: bag)
    pipeline.errors.bind(to: standardOutput.rx.error).disposed(by: bag)
    rx.didCrossRegion.bind(to: standardOutput.rx.crossing).disposed(by: bag)
    view.regionRecords.forEach { [regionLog, weak self] record in
      self?.regionUpdates += 1
      regionLog.append(record)
    }
    streamWords.losses = { [unowned self] in losses(of: self.host.standardOutput, from: given.count) }
    logWords.losses = { [unowned self] in losses(of: self.host.regionLog, from: regionUpdates) }
  }

  /// The number of records that a stream may call lost: those that it has noted, and those that it has not written.
  private func losses(of file: SimulatedFile, from accepted: Int) -> ClosedRange<Int> {
    file.noted...max(file.noted, accepted - file.records)
  }

  private func noteFixes(_ locations: [Location]) {
    error = nil
    if !given.contains(where: { $0.number > 0 }), let first = locations.first { host.starts.append(first.number) }
    given += locations.map { ($0.number, .infinity) }
  }

  var recorded: ArraySlice<String> { recordLines.prefix(record.statistics.account.written) }

  var cursors: (published: Int64, copied: Int64) { (publishing.cursor, copying.cursor) }

  /// Records that are not published or copied, and are in the account.
  var publishedLess: Int { publisher.statistics.account.dropped }
  var copiedLess: Int { copier.statistics.account.dropped }

  /// Each loss is reported once, unless gpsd was there between two of them.
  private func noteError(_ error: LocationError) {
    let news = (code: error.code, start: host.gpsd.starts)
    host.world.check(self.error.map { $0 != news } ?? true, "\(error.message) is reported twice")
    self.error = news
    given.append((0, .infinity))
  }

  /// The journal's account says how many records are committed; unless some were dropped, they are the first ones.
  private func noteCommit() {
    let account = journal.statistics.account
    guard account.dropped == 0 else { return }
    while commits < min(account.written, given.count) {
      given[commits].committed = host.world.now
      commits += 1
    }
  }

  /// The numbers of fixes that were committed at least `seconds` before the newest one.
  func committed(before seconds: Double) -> [Int] {
    let newest = given.prefix(commits).last?.committed ?? 0
    return given.prefix(commits).filter { $0.number > 0 && $0.committed <= newest - seconds }.map(\.number)
  }

  func reload(_ fences: [Region]) {
    guard var settings = try? Settings.parse([]) else { return }
    settings.watch.fences = fences
    pipeline.apply(settings)
    publisher.setFences(fences.map(\.circle))
    regionLog.reopen()
  }

  // MARK: The end

  /// Ends as after SIGTERM: what waits is written within a short time.
  func finish() async {
    life.isEnding = true
    pipeline.stop()
    source.endRecord()
    host.world.after(0.4) { [standardOutput, publisher, copier] in
      standardOutput.cancel()
      publisher.stop()
      copier.stop()
    }
    host.world.after(5.4) { [journal, regionLog, record] in
      journal.cancel()
      regionLog.cancel()
      record.cancel()
    }
    // None waits for the peer of another one.
    let ends = [
      Task { _ = await standardOutput.finish() }, Task { _ = await regionLog.finish() },
      Task { _ = await record.finish() },
    ]
    await output.finish()
    await copier.finish()
    await publisher.finish()
    for end in ends { await end.value }
  }

  func checkEnd() {
    for (name, account) in [
      ("standard output", standardOutput.statistics.account), ("region log", regionLog.statistics.account),
      ("journal", journal.statistics.account), ("record", record.statistics.account),
    ] {
      host.world.check(account.waiting == 0, "\(account.waiting) records of the \(name) are in no account")
    }
    let account = record.statistics.account
    host.world.check(account.isSettled, "the record lost \(account.lost) of \(account.accepted) lines")
    if let newest = try? publishing.newestSequence(), let summary = output.summary {
      let rows = newest - firstRow
      host.world.check(summary.hasPrefix("\(rows) to the journal"), "\(rows) rows are new, but: \(summary)")
    }
    checkAccounts()
  }

  // MARK: What must hold

  /// What the accounts say is what the outputs have.
  func checkAccounts() {
    let world = host.world
    let (lines, log) = (standardOutput.statistics, regionLog.statistics)
    world.check(
      lines.account.written == host.standardOutput.records,
      "standard output has \(host.standardOutput.records) records, not \(lines.account.written)")
    world.check(
      log.account.written == host.regionLog.records,
      "the region log has \(host.regionLog.records) records, not \(log.account.written)")
    for (account, file) in [(lines.account, host.standardOutput), (log.account, host.regionLog)] {
      world.check(account.dropped >= file.noted, "\(file.noted) records are noted as dropped, not \(account.dropped)")
      let overflow = account.drops[.overflow] ?? 0
      world.check(
        account.waiting > 0 || life.isEnding || overflow == file.noted,
        "\(overflow) records were dropped, and \(file.noted) are noted")
      if account.waiting == 0 || !file.works || file.lastEmpty < start { file.lastEmpty = world.now }
      world.check(world.now - file.lastEmpty < 60, "\(account.waiting) records have waited for a minute")
    }
    world.check(
      lines.account.accepted == given.count, "standard output was given \(given.count), not \(lines.account.accepted)")
    for account in [publisher.statistics.account, copier.statistics.account] {
      world.check(account.waiting >= 0, "\(-account.waiting) records more are accounted for than were given")
    }
    let kept = journal.statistics.account
    world.check(kept.accepted == given.count, "the journal was given \(given.count) records, not \(kept.accepted)")
    // 16 KiB wait, and as many are being written; the shortest records have 80 bytes.
    for (account, most) in [(lines.account, 420), (log.account, 420), (kept, 4200)] {
      world.check(account.waiting >= 0 && account.waiting <= most, "\(account.waiting) records wait")
    }
  }

  /// The journal counts each row that its limit deletes before a reader has read it, once for each reader.
  func checkLosses() {
    guard let gone = try? publishing.waiting().gone else { return }
    let accounts = [publisher.statistics.account, copier.statistics.account]
    let inAccounts = accounts.reduce(0) { $0 + ($1.drops[.limit] ?? 0) }
    let (least, most) = (inAccounts - Int(knownLosses), 2 * Int(gone - firstGone))
    let count = journal.statistics.unread
    host.world.check(
      least <= count && count <= most, "readers have lost \(least) to \(most) rows, but the journal says \(count)")
  }

  /// Each of the rows without a time counts once as dropped.
  func checkUntimed(_ rows: [Int64]) {
    let counted = publisher.statistics.account.drops[.untimed] ?? 0
    let count = rows.count { $0 > firstCursor && $0 <= publishing.cursor }
    host.world.check(counted == count, "\(count) rows have no time, not \(counted)")
  }

  /// What status lines say is so in the world, apart from the last moments.
  private func checkStates() {
    let (world, gpsd, broker, database) = (host.world, host.gpsd, host.broker, host.database)
    world.after(30) { [weak self] in
      guard let self, life.isOn, !life.isEnding else { return }
      checkStates()
    }
    let manager = pipeline.locationManager
    let line = StatusText(
      name: "gpsd", status: manager.source.status, fix: manager.fixState, location: manager.location
    ).line
    let hasFix = line.contains("fix, ±")
    world.check(!hasFix || world.now - gpsd.lastFix < 60, "no fix came for a minute, but: \(line)")
    world.check(hasFix || world.now - max(gpsd.steadySince, start) < 120, "fixes come, but: \(line)")
    let isConnected = publisher.statistics.isConnected
    wrong.publishing = isConnected == broker.isConnected(Self.client) ? 0 : wrong.publishing + 1
    wrong.copying =
      copier.statistics.outage?.reason.contains("is away") == true && database.works ? wrong.copying + 1 : 0
    world.check(wrong.publishing < 10, "the publisher says \(isConnected ? "publishing" : "no broker")")
    world.check(wrong.copying < 10, "the copier says that the database is away")
  }

  /// Some time after the last fault everything is delivered.
  func checkDelivery() {
    let world = host.world
    checkLosses()
    let newest = (try? publishing.newestSequence()) ?? -1
    world.check(publishing.cursor >= newest - 20, "published up to \(publishing.cursor) of \(newest)")
    world.check(copying.cursor >= newest - 20, "copied up to \(copying.cursor) of \(newest)")
    for (name, account) in [
      ("standard output", standardOutput.statistics.account), ("region log", regionLog.statistics.account),
      ("journal", journal.statistics.account),
    ] { world.check(account.waiting <= 20, "\(account.waiting) records wait for the \(name)") }
    let (sent, done) = (publisher.statistics, acknowledged.count { $0 <= publishing.cursor })
    world.check(sent.account.waiting <= 20, "\(sent.account.waiting) wait")
    // After a failure acknowledged rows behind the cursor are sent again, unless they were deleted meanwhile.
    let slack = sent.account.drops[.limit] == nil ? 0 : 20 * (1 + sent.reconnections)
    world.check(sent.account.written >= done - slack, "\(done) rows were accepted, not \(sent.account.written)")
    let last = given.last { $0.number > 0 }?.number ?? 0
    world.check(last >= host.gpsd.lastNumber - 20, "fix \(last) of \(host.gpsd.lastNumber) is the last one")
  }
}

/// The notices of an output: a recovery follows a failure, and names the losses so far.
@MainActor
final class Words {
  /// The numbers of losses that are true now.
  var losses: @MainActor () -> ClosedRange<Int> = { 0...Int.max }
  private var failure: String?
  private let world: World

  init(_ world: World) { self.world = world }

  nonisolated var handler: OutputNotice.Handler { { notice in MainActor.assumeIsolated { self.hear(notice.message) } } }

  private func hear(_ text: String) {
    world.note(text)
    if text.contains("retrying") {
      world.check(failure != text, "this is said twice: \(text)")
      failure = text
    } else if text.hasPrefix("publishing to") {
      failure = nil
    } else if text.contains("can be written again") {
      world.check(failure != nil, "nothing failed before: \(text)")
      failure = nil
      let count = text.contains("nothing was lost") ? 0 : text.split(separator: " ").compactMap { Int($0) }.last ?? -1
      world.check(losses().contains(count), "\(losses()) records are lost, but: \(text)")
    }
  }
}
