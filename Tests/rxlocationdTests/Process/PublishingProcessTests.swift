import Foundation
import Journal
import TestSupport
import Testing

@Suite(.startsPrograms) struct PublishingProcessTests {
  private let folder = TemporaryFolder()
  private var journal: String { folder.path("journal.db") }

  private func flags(_ port: UInt16) -> [String] {
    ["--journal", journal, "--publish", "mqtt://127.0.0.1:\(port)", "--publish-topic", "owntracks/user/device"]
  }

  /// A broker that keeps nothing on disk, which it would write anew for each message.
  private func broker() throws -> RealBroker {
    try RealBroker(listener: ["allow_anonymous true", "persistence false"])
  }

  private func replay(_ epochs: Range<Int>, to broker: RealBroker, _ arguments: [String] = []) async throws {
    let replay = ["replay", try folder.recording(epochs), "--speed", "max"]
    try await DaemonProcess.run(replay + flags(broker.port) + arguments, status: 0)
  }

  /// Sends what waits in the journal and one more epoch.
  private func drain(_ epoch: Int, to broker: RealBroker) async throws {
    try await replay(epoch..<epoch + 1, to: broker)
    #expect(try waiting() == 0)
  }

  /// A subscriber whose messages the broker keeps for it.
  private func subscriber(_ broker: RealBroker) throws -> BrokerSubscriber {
    try BrokerSubscriber(broker, "owntracks/#", session: "test")
  }

  private func waiting() throws -> Int { try JournalReader(path: journal, name: "publish").waiting().count }

  /// Fills the journal while there is no broker, and leaves as many records for it.
  private func fill(_ epochs: Range<Int>, _ arguments: [String] = []) async throws -> Int {
    let nobody = LoopbackSocket.unusedPort()
    let process = try DaemonProcess(
      ["replay", try folder.recording(epochs), "--speed", "max"] + flags(nobody) + arguments)
    try await process.wait(for: "all locations") {
      process.output.count { $0 == "\n" } >= epochs.count && (try? waiting()) ?? 0 >= epochs.count
    }
    // The replay is over, and waits for the broker. It says that once.
    try await process.wait(toSay: "cannot publish to mqtt://127.0.0.1:")
    #expect(process.isRunning)
    let result = try await process.terminate()
    #expect(result.messages.components(separatedBy: "cannot publish").count == 2, "\(result.messages)")
    return try waiting()
  }

  /// The times of the locations, as the numbers of their epochs.
  private func epochs(_ subscriber: BrokerSubscriber) -> [Int] {
    subscriber.messages.compactMap { message in
      // The will of a daemon that was killed is on that topic, too.
      guard message.json["_type"] as? String == "location", !message.isRetained else { return nil }
      // 2025-02-01 12:00:00 UTC.
      return (message.json["tst"] as? Int).map { $0 - 1_738_411_200 }
    }
  }

  @Test(arguments: [runsLongTests ? (20, 40_000) : (2, 10_000)])
  func losesNothingWhenTheDaemonIsKilled(kills: Int, count: Int) async throws {
    #expect(try await fill(0..<count) == count)
    let broker = try broker()
    let subscriber = try subscriber(broker)
    func start() throws -> DaemonProcess {
      try DaemonProcess(["replay", "-"] + flags(broker.port), keepsInputOpen: true)
    }
    // The first time it is killed before the broker has answered: then something waits for certain.
    broker.signal(SIGSTOP)
    let first = try start()
    try await first.wait(for: "its files") { first.usage.descriptors > 8 }
    try await first.killAndWait()
    broker.signal(SIGCONT)
    #expect(try waiting() == count)
    var interruptions = 1
    for kill in 2...kills {
      let process = try start()
      // Somewhere behind that: the daemon goes on while this looks.
      let target = count - count * kill / (kills + 1)
      try await process.wait(for: "messages") { (try? waiting()) ?? count < target }
      try await process.killAndWait()
      if try waiting() > 0 { interruptions += 1 }
    }
    #expect(interruptions >= kills / 2, "the journal was empty before the signals")
    try await drain(count, to: broker)
    #expect(await eventually { subscriber.contains("\"tst\":\(1_738_411_200 + count),") })
    let arrived = epochs(subscriber)
    var seen: Set<Int> = []
    #expect(arrived.filter { seen.insert($0).inserted } == Array(0...count))
    // In order, but for one window at most for each signal.
    let steps = zip(arrived, arrived.dropFirst()).map { $1 - $0 }.filter { $0 != 1 }
    #expect(steps.count <= kills && steps.allSatisfy { (-19...0).contains($0) }, "\(steps)")
    #expect(arrived.count <= count + 1 + 20 * kills)
  }

  @Test func aSignalLeavesTheRestInTheJournalWhoeverReadsIt() async throws {
    let nobody = LoopbackSocket.unusedPort()
    let process = try DaemonProcess(["replay", "-", "--speed", "max"] + flags(nobody), keepsInputOpen: true)
    try await process.wait(toSay: "cannot publish")
    // The daemon has the journal open twice, as its writer and as its reader. SQLite takes the log away when the last one
    // closes the file, and here somebody else opens and closes it again and again.
    for turn in 1...5 {
      process.feed(turn * 10 - 10..<turn * 10)
      // The last fix is complete only when the next one begins, or after a pause.
      try await process.wait(for: "rows") { (try? JournalReader(path: journal).newestSequence()) ?? 0 >= turn * 10 - 1 }
      #expect(FileManager.default.fileExists(atPath: journal + "-wal"))
    }
    let result = try await process.terminate()
    #expect(try waiting() == result.lines.count && result.lines.count >= 49)
    // Once the broker is there, everything goes, and the end waits for that.
    let broker = try broker()
    let subscriber = try subscriber(broker)
    try await replay(50..<60, to: broker)
    #expect(try waiting() == 0)
    #expect(await eventually { epochs(subscriber).last == 59 })
    #expect(epochs(subscriber) == Array(0..<60))
  }

  /// What waits from an earlier run is not what this one waits for.
  @Test func anotherOutputThatCannotBeOpenedIsSaidAtOnce() async throws {
    #expect(try await fill(0..<20) == 20)
    let taken = try LoopbackSocket.listener()
    let words = "metrics endpoint 127.0.0.1:\(taken.port)"
    try await DaemonProcess.run(
      ["replay", "-", "--metrics", "127.0.0.1:\(taken.port)"] + flags(LoopbackSocket.unusedPort()), status: 73,
      saying: words)
    #expect(try waiting() == 20)
  }

  @Test(arguments: [50, 1]) func withoutAJournalWhatTheBrokerHasNotTakenIsLostAndSaid(count: Int) async throws {
    let nobody = LoopbackSocket.unusedPort()
    let process = try DaemonProcess([
      "replay", try folder.recording(0..<count), "--speed", "max", "--publish", "mqtt://127.0.0.1:\(nobody)", "--fence",
      "home=1,2,50",
    ])
    try await process.wait(for: "the failure") {
      process.messages.contains("cannot publish") && process.output.count { $0 == "\n" } == count
    }
    let result = try await process.terminate(status: 74)
    #expect(result.messages.contains("there is no journal, so records that the broker has not accepted"))
    #expect(result.messages.contains("there is no journal, so fences that are crossed"))
    let (records, loss) = count == 1 ? ("1 record was", "is lost") : ("\(count) records were", "are lost")
    #expect(result.messages.contains("\(records) not delivered to mqtt://127.0.0.1:\(nobody) and \(loss)"))
  }

  @Test func theFencesOfARestartAreThoseOfTheRowsThatAreSent() async throws {
    // A kilometre around the start, in which it is from the first fix on; it has left it hours later.
    let fence = ["--fence", "home=51.1667,-0.125,1000"]
    _ = try await fill(0..<40, fence)
    _ = try await fill(20_000..<20_040, fence)
    let broker = try broker()
    let subscriber = try subscriber(broker)
    try await replay(20_040..<20_050, to: broker, fence)
    #expect(await eventually { epochs(subscriber).last == 20_049 })
    let messages = subscriber.messages
    let waypoint = try #require(messages.first { $0.topic.hasSuffix("/waypoint") }?.json)
    #expect(waypoint["desc"] as? String == "home")
    let events = messages.filter { $0.topic.hasSuffix("/event") }.map(\.json)
    #expect(events.map { $0["event"] as? String } == ["leave"])
    #expect(events.first?["wtst"] as? Int == waypoint["tst"] as? Int)
    let left = try #require(messages.firstIndex { $0.topic.hasSuffix("/event") })
    let regions = messages.enumerated().filter { $0.element.topic == "owntracks/user/device" }
      .map { (isBefore: $0.offset < left, inside: $0.element.json["inregions"] as? [String]) }
    // The receiver was seen to be inside with its first fix, and left with the first of the second run.
    #expect(regions.filter(\.isBefore).dropLast().allSatisfy { $0.inside == ["home"] })
    #expect(regions.filter { !$0.isBefore }.allSatisfy { $0.inside == nil })
    #expect(regions.count { $0.isBefore } >= 40)
  }

  /// The Recorder names the files of fences by these times, and would keep the last of several that have the same.
  @Test(arguments: [true, false]) func fencesHaveTimesOfTheirOwnThatStay(hasJournal: Bool) async throws {
    let broker = try broker()
    let subscriber = try subscriber(broker)
    let fences = ["--fence", "home=51.1667,-0.125,1000", "--fence", "far=10,20,50"]
    let flags = Array(flags(broker.port).dropFirst(hasJournal ? 0 : 2)) + fences
    // It leaves its home between the two; without a journal nothing is known of the first run.
    for start in [0, 20_000] {
      try await DaemonProcess.run(
        ["replay", try folder.recording(start..<start + 40), "--speed", "max"] + flags, status: 0)
    }
    #expect(await eventually { epochs(subscriber).last == 20_039 })
    var times: [String: [Int]] = [:]
    for message in subscriber.messages where message.topic.hasSuffix("/waypoint") {
      times[message.json["desc"] as? String ?? "", default: []].append(message.json["tst"] as? Int ?? 0)
    }
    #expect(times["home"]?.count == 2 && times["far"]?.count == 2)
    #expect(Set(times["home"] ?? []).count == 1 && Set(times["far"] ?? []).count == 1 && times["home"] != times["far"])
    let events = subscriber.messages.filter { $0.topic.hasSuffix("/event") }.map(\.json)
    #expect(events.map { $0["event"] as? String } == (hasJournal ? ["leave"] : []))
    #expect(events.allSatisfy { $0["wtst"] as? Int == times["home"]?.first })
    let lists = subscriber.messages.filter { $0.topic.hasSuffix("/waypoints") }
    #expect(lists.count == 2 && lists[0].payload == lists[1].payload)
  }

  @Test(arguments: [(30_000, 1 << 20)])
  func theJournalStaysBelowItsLimitWhileThereIsNoBroker(count: Int, limit: Int) async throws {
    // The rows would take about twice the limit, so the oldest go.
    let nobody = LoopbackSocket.unusedPort()
    let process = try DaemonProcess(
      ["replay", try folder.recording(0..<count), "--speed", "max", "--format", "none", "--journal-limit", "\(limit)"]
        + flags(nobody))
    func newest() -> Int64 { (try? JournalReader(path: journal).newestSequence()) ?? 0 }
    try await process.wait(for: "a third") { newest() > count / 3 }
    let early = process.usage.residentKiB
    try await process.wait(for: "all") { newest() >= count }
    #expect(process.usage.residentKiB - early < 4096, "\(early) KiB, then \(process.usage.residentKiB)")
    // The publisher looks at the journal once a second, and the last rows may still displace others.
    var lost = 0
    try await process.wait(for: "the count") {
      process.send(signal: SIGUSR1)
      lost = (try? count - waiting()) ?? 0
      return process.messages.contains(", \(lost) dropped by the journal's limit\n")
    }
    let words = "rows were deleted before the reader publish had read them"
    let result = try await process.terminate(status: 74, saying: words)
    #expect(result.messages.contains("error: \(lost) records were not delivered to "), "\(result.messages)")
    let size = try FileManager.default.attributesOfItem(atPath: journal)[.size] as? Int ?? 0
    #expect(size <= limit && size > limit / 2, "\(size) of \(limit)")
    // What is left goes.
    let kept = try waiting()
    let broker = try broker()
    let subscriber = try subscriber(broker)
    try await drain(count, to: broker)
    #expect(await eventually { subscriber.contains("\"tst\":\(1_738_411_200 + count),") })
    #expect(epochs(subscriber) == Array(count - kept...count))
  }

  /// Without a journal it publishes from a queue in memory, of 1 MiB, which is room for 2048 rows.
  @Test func aReplayOfMoreRowsThanTheQueueHoldsIsDelivered() async throws {
    let broker = try RealBroker()
    let publishing = Array(flags(broker.port).dropFirst(2)) + ["--journal-limit", "1M", "--format", "none"]
    try await DaemonProcess.run(["replay", try folder.recording(0..<10_000), "--speed", "max"] + publishing, status: 0)
    // Each location was sent once.
    let locations = broker.log.components(separatedBy: "'owntracks/user/device', ... (").count - 1
    #expect(locations >= 10_000, "\(locations)")
  }

  @Test func reachesABrokerWhileThousandsRead() async throws {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    limit.rlim_cur = min(limit.rlim_max, 8192)
    guard setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur >= 4096 else { return }
    let broker = try broker()
    let before = try subscriber(broker)
    let socket = folder.path("regions")
    let process = try DaemonProcess(
      ["replay", "-", "--speed", "max", "--region-socket", "unix:" + socket] + flags(broker.port), keepsInputOpen: true)
    process.feed(0..<3)
    try await process.wait(for: "messages") { epochs(before).count >= 2 }
    var readers: [SocketReader] = []
    for _ in 0..<2000 { readers.append(try await SocketReader(unix: socket)) }
    try await process.wait(for: "the readers") { process.usage.descriptors > 2000 }
    // The next session has a descriptor beyond those.
    broker.kill()
    try broker.start()
    let after = try subscriber(broker)
    process.feed(3..<6)
    try await process.wait(for: "more messages") { epochs(after).contains(4) }
    withExtendedLifetime(readers) {}
    try await process.terminate()
  }
}
