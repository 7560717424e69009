import ArgumentParser
import Foundation
import Glibc
import LocationKit
import Platform
import Records
import Rx
import RxBinding
import RxLocation
import TestSupport

@testable import GPSD
@testable import Journal
@testable import Output
@testable import Publishing
@testable import rxlocationd

/// The host of a receiver: `rxlocationd run` with all outputs, which is killed, stopped and started again, and what its
/// outputs have received in all of its runs.
@MainActor
final class ReceiverHost {
  let world: World
  let gpsd: SimulatedGPSD
  let broker: SimulatedBroker
  let database: SimulatedDatabase
  let disk: Disk
  let standardOutput: SimulatedFile
  let regionLog: SimulatedFile
  let readers: SocketReaders
  private(set) var program: ReceiverProgram?
  /// Whether there is no journal, so that records wait in a temporary queue.
  let isTemporary: Bool
  /// The fixes that were committed and not lost by a power cut.
  private var committed: Set<Int> = []
  /// Records that publishers and copiers have reported as dropped.
  private var (publishedLess, copiedLess) = (0, 0)
  var fences = [
    CircularRegion(center: LocationCoordinate2D(latitude: 47, longitude: 8), radius: 500, identifier: "home")
  ]
  let journalLimit: Int
  /// The size of the disk; a temporary queue is on a small one.
  var capacity: Int64? { isTemporary ? 1 << 20 : nil }
  /// Whether fences and the receiver's clock have always been the same, and whether the journal has dropped records.
  var (isFenceSteady, hasDropped) = (true, false)
  /// Up to where the publisher and the copier have read the journal, as the last run knew it.
  fileprivate var cursors = (published: Int64(0), copied: Int64(0))
  /// The altitudes that the broker has received, each at its first time.
  private var published: [Int] = []
  private var publishedNumbers: Set<Int> = []
  /// The last crossing of each fence in the journal.
  private var crossings: [String: RegionState] = [:]

  var journalPath: String { disk.folder.file("journal.db") }

  init(_ world: World) throws {
    self.world = world
    gpsd = SimulatedGPSD(world)
    broker = SimulatedBroker(world)
    database = SimulatedDatabase(world)
    disk = try Disk(seed: world.random.next())
    world.disk = disk
    (standardOutput, regionLog) = (SimulatedFile(world), SimulatedFile(world))
    readers = SocketReaders(world)
    isTemporary = world.isLucky(0.3)
    disk.setCapacity(isTemporary ? 1 << 20 : nil)
    let hasSmallPages = !isTemporary && world.isLucky(0.5)
    journalLimit = [hasSmallPages ? 1 << 15 : 1 << 18, 64 << 20].randomElement(using: &world.random) ?? 1 << 20
    if hasSmallPages {
      // The least limit is 64 pages, which a few hundred rows reach.
      _ = FileManager.default.createFile(atPath: journalPath, contents: nil)
      try Connection(path: journalPath).execute(
        "PRAGMA page_size = 512; PRAGMA auto_vacuum = INCREMENTAL; CREATE TABLE t (c); DROP TABLE t")
    }
    broker.onMessage = { [unowned self] in receive($0) }
    world.always { [unowned self] in program?.checkAccounts() }
  }

  // MARK: Runs

  func start() {
    guard program == nil else { return }
    if isTemporary {
      for suffix in ["", "-journal", "-wal", "-shm", "-lock"] { unlink(journalPath + suffix) }
      (committed, publishedLess, copiedLess, cursors) = ([], 0, 0, (0, 0))
    }
    do {
      program = try ReceiverProgram(self)
      world.note("started")
    } catch {
      // A full disk or a lock of a run that still ends.
      world.note("cannot start: \(error)")
      world.after(5) { [weak self] in self?.start() }
    }
  }

  /// Ends the process between two of its steps, and starts it again.
  func kill(byPowerCut: Bool) {
    guard let program else { return }
    world.note(byPowerCut ? "power cut" : "killed")
    disk.stop()
    // A commit syncs all earlier ones if the last sync was ten seconds ago.
    let committed = program.committed(before: byPowerCut ? 25 : 0)
    end(program)
    if byPowerCut { cursors = (0, 0) }
    broker.disconnect(ReceiverProgram.client)
    disk.restart(afterPowerCut: byPowerCut)
    verify(committed)
  }

  /// Another program tries to write the journal under a name of its own.
  func startTwice() {
    guard program?.life.isEnding == false else { return }
    let other = disk.folder.file("other.db")
    unlink(other)
    symlink(journalPath, other)
    world.check((try? JournalFile(path: other, limit: 1 << 20)) == nil, "a second program writes the journal")
  }

  private func end(_ program: ReceiverProgram) {
    publishedLess += program.publishedLess
    copiedLess += program.copiedLess
    cursors = program.cursors
    hasDropped = hasDropped || program.journal.statistics.account.dropped > 0
    program.life.isOn = false
    self.program = nil
    world.hasTasks = false
    world.removeLoops()
    world.after(world.number(0.1..<(world.isLucky(0.2) ? 900 : 60))) { [weak self] in self?.start() }
  }

  /// Sends SIGTERM, waits for the end and starts the program again.
  func terminate() {
    guard let program, !program.life.isEnding else { return }
    world.note("terminated")
    world.hasTasks = true
    Task { [weak self] in
      await program.finish()
      guard let self, self.program === program else { return }
      program.checkEnd()
      let committed = program.committed(before: 0)
      end(program)
      world.note("ended")
      verify(committed)
    }
  }

  // MARK: What was received

  private func receive(_ message: OutgoingMessage) {
    guard case .row = message.origin, let location = try? DeviceMessage(message.payload, from: "car", key: nil),
      case .location(let location) = location
    else { return }
    if publishedNumbers.insert(location.number).inserted { published.append(location.number) }
  }

  /// Compares the journal with what was given to it: its fixes come in order, and the newest are all there.
  func verify(_ committed: [Int] = []) {
    if isTemporary { return self.committed.formUnion(committed) }
    do {
      var (numbers, crossings, expected): ([Int], [String: RegionState], Int64?) = ([], [:], nil)
      var time = Date.distantPast
      for entry in try disk.rows(of: "journal.db") {
        world.check(expected == nil || entry.sequence == expected, "row \(entry.sequence) follows a gap")
        expected = entry.sequence + 1
        switch entry.record {
        case .location(let location):
          numbers.append(location.number)
          // A restart knows only states of fences from an earlier time of the receiver's clock.
          if location.timestamp.map({ $0 < time }) ?? true { crossings = [:] }
          time = location.timestamp ?? time
        case .crossing(let crossing):
          let name = "\(crossing.region)"
          world.check(crossings[name] != crossing.state, "\(crossing.region.identifier) was \(crossing.state) twice")
          crossings[name] = crossing.state
        case .error: break
        }
      }
      for (one, next) in zip(numbers, numbers.dropFirst()) { world.check(one < next, "fix \(next) comes after \(one)") }
      self.crossings = crossings
      let (kept, oldest) = (Set(numbers), numbers.first ?? 0)
      for number in committed where number >= oldest {
        world.check(kept.contains(number), "fix \(number) was committed and is lost")
      }
      self.committed.formUnion(committed)
    } catch {
      world.check(committed.isEmpty, "the journal cannot be read: \(error)")
    }
  }

  /// The last crossing in the journal leads to where the receiver is, also if it crossed while no program was running.
  private func checkFence(_ program: ReceiverProgram) {
    guard isFenceSteady, !isTemporary, !hasDropped, let fence = fences.first, let last = crossings["\(fence)"] else {
      return
    }
    let distances = program.lastMinute.map { fence.center.distance(from: $0.location.coordinate) - fence.radius }
    guard distances.allSatisfy({ abs($0) > 60 && ($0 > 0) == (distances[0] > 0) }), distances.count > 3 else { return }
    world.check((last == .outside) == (distances[0] > 0), "\(fence.identifier) was crossed to \(last) last")
  }

  /// What must hold some time after the last fault.
  func checkDelivery() {
    guard let program else { return world.check(false, "the program is not running") }
    program.checkDelivery()
    readers.checkDelivery()
    verify(program.committed(before: 60))
    checkFence(program)
    // A temporary queue keeps only rows that are not delivered.
    if isTemporary, let rows = try? disk.rows(of: "journal.db").count {
      world.check(rows < 1000, "\(rows) rows are in the temporary queue")
    }
    let copied = database.locations["car", default: []].map(\.number)
    let less = (publishedLess + program.publishedLess, copiedLess + program.copiedLess)
    let missing = (committed.subtracting(publishedNumbers).count, committed.subtracting(copied).count)
    world.check(missing.0 <= less.0, "\(missing.0) fixes are not published, of which \(less.0) are in the account")
    world.check(missing.1 <= less.1, "\(missing.1) fixes are not copied, of which \(less.1) are in the account")
    for (one, next) in zip(published, published.dropFirst()) {
      world.check(one < next, "fix \(next) was published after \(one)")
    }
    for (one, next) in zip(copied, copied.dropFirst()) {
      world.check(one < next, "fix \(next) was copied after \(one)")
    }
  }
}

/// One run of `rxlocationd run`.
@MainActor
final class ReceiverProgram {
  static let client = "car"

  let life = Life()
  let journal: JournalWriter
  private let host: ReceiverHost
  private let pipeline: Pipeline
  private let output: JournalOutput
  private let standardOutput: LocationStream
  private let regionLog: RecordStream
  private let publisher: Publisher
  private let publishing: JournalReader
  private let copier: JournalCopier
  private let copying: JournalReader
  private let bag = DisposeBag()
  /// The records that the journal was given: the numbers of fixes, and 0 for others, with the time of their commit.
  private(set) var given: [(number: Int, committed: Double)] = []
  private var commits = 0
  /// The fixes of the last minute.
  private(set) var lastMinute: [(time: Double, location: Location)] = []
  private let start: Double
  private let firstRow: Int64
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
    let source = GPSDSource(
      endpoint: GPSDEndpoint(), configuration: GPSDConfiguration(random: system.random),
      clock: WorldClock(world) { life.isOn }, host: system
    ) { [gpsd = host.gpsd] _ in gpsd.connector() }
    var settings = try Settings.parse([])
    settings.watch.fences = host.fences
    pipeline = Pipeline(source: source, settings: settings)
    journal = try JournalWriter(
      path: host.journalPath, in: host.isTemporary ? Journal.TemporaryFolder() : nil, limit: host.journalLimit,
      mode: .live, host: system, onNotice: Words(world).handler, onEnd: { _ in })
    output = JournalOutput(journal, isTemporary: host.isTemporary)
    standardOutput = try LocationStream(
      NDJSONFormatter(), to: host.standardOutput.open { life.isOn }, mode: .live, limit: 1 << 14, host: system,
      onNotice: streamWords.handler, onEnd: { _ in })
    regionLog = try RecordStream(
      to: host.regionLog.open { life.isOn }, mode: .live, limit: 1 << 14, host: system,
      describeDropped: { count, buffer in
        NDJSONFormatter().append(dropped: count, to: &buffer)
      }, onNotice: logWords.handler, onEnd: { _ in })
    publishing = try journal.reader(named: "publish")
    firstRow = try publishing.newestSequence()
    var configuration = PublisherConfiguration(
      address: try PublishingAddress(parsingBroker: "mqtt://broker"), topic: "owntracks/ann/car", clientID: Self.client)
    configuration.heartbeat = 300
    publisher = try Publisher(
      configuration, queue: publishing, Worker(Publisher.Shared(fences: host.fences)),
      host.broker.connector(Self.client) { life.isOn }, host: system, onFences: { _ in },
      onNotice: Words(world).handler)
    copying = try journal.reader(named: "database")
    copier = try JournalCopier(
      from: copying, to: host.database.open { life.isOn }, device: "car",
      source: { [journal] in journal.statistics.account }, host: system,
      onNotice: Words(world).handler)
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
    let view = pipeline.view(for: .exact)
    output.bind(to: view)
    rx.didUpdateLocations.bind(to: standardOutput.rx.locations).disposed(by: bag)
    pipeline.errors.bind(to: standardOutput.rx.error).disposed(by: bag)
    rx.didCrossRegion.bind(to: standardOutput.rx.crossing).disposed(by: bag)
    view.regionRecords.forEach { [regionLog, readers = host.readers, weak self] record in
      self?.regionUpdates += 1
      regionLog.append(record)
      readers.update()
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
    let now = host.world.now
    lastMinute = lastMinute.filter { now - $0.time < 60 } + locations.map { (now, $0) }
    given += locations.map { ($0.number, .infinity) }
  }

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

  func reload(_ fences: [CircularRegion]) {
    guard var settings = try? Settings.parse([]) else { return }
    settings.watch.fences = fences
    pipeline.apply(settings)
    publisher.setFences(fences)
    regionLog.reopen()
  }

  // MARK: The end

  /// Ends as after SIGTERM: what waits is written within a short time.
  func finish() async {
    life.isEnding = true
    pipeline.stop()
    host.world.after(0.4) { [journal, standardOutput, regionLog, publisher, copier] in
      journal.cancel()
      standardOutput.cancel()
      regionLog.cancel()
      publisher.stop()
      copier.stop()
    }
    await output.finish()
    await standardOutput.finish()
    await regionLog.finish()
    await copier.finish()
    await publisher.finish()
  }

  func checkEnd() {
    for (name, account) in [
      ("standard output", standardOutput.statistics.account), ("region log", regionLog.statistics.account),
      ("journal", journal.statistics.account),
    ] {
      host.world.check(account.waiting == 0, "\(account.waiting) records of the \(name) are in no account")
    }
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
    let newest = (try? publishing.newestSequence()) ?? -1
    world.check(publishing.cursor >= newest - 20, "published up to \(publishing.cursor) of \(newest)")
    world.check(copying.cursor >= newest - 20, "copied up to \(copying.cursor) of \(newest)")
    for (name, account) in [
      ("standard output", standardOutput.statistics.account), ("region log", regionLog.statistics.account),
      ("journal", journal.statistics.account),
    ] { world.check(account.waiting <= 20, "\(account.waiting) records wait for the \(name)") }
    world.check(publisher.statistics.account.waiting <= 20, "\(publisher.statistics.account.waiting) wait")
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
