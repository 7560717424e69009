import Foundation
import Journal
import TestSupport
import Testing

@Suite(.startsPrograms, .enabled(if: RealServer.isInstalled, "there is no python3 on this host"))
struct ServerProcessTests {
  private let folder = TemporaryFolder()
  private var journal: String { folder.path("journal.db") }

  private func flags(_ port: UInt16) -> [String] {
    ["--publish", "http://ann@127.0.0.1:\(port)/pub/secret", "--publish-topic", "owntracks/ann/car"]
  }

  private func waiting(_ port: UInt16) throws -> Int {
    try JournalReader(path: journal, name: "publish 127.0.0.1:\(port)", startingAt: .oldest).waiting().count
  }

  /// The numbers of the epochs that were stored.
  private func epochs(_ server: RealServer) -> [Int] {
    // 2025-02-01 12:00:00 UTC.
    server.requests.compactMap { ($0.json["tst"] as? Int).map { $0 - 1_738_411_200 } }
  }

  @Test(arguments: [runsLongTests ? (20, 20_000) : (3, 3_000)])
  func losesNothingWhenTheDaemonOrTheServerIsKilled(kills: Int, count: Int) async throws {
    // The server is killed for the first time before the journal is full, so everything waits in it.
    let server = try RealServer(["hang"])
    let flags = ["--journal", journal] + flags(server.port)
    let fill = try DaemonProcess(["replay", try folder.recording(0..<count), "--speed", "max"] + flags)
    try await fill.wait(for: "rows") { (try? waiting(server.port)) ?? 0 >= count && server.requests.count > 0 }
    try await fill.killAndWait()
    server.kill()
    // So many are taken at once from one kill to the next, and those behind them slowly, so that some always wait.
    let pace = Array(repeating: "200", count: count / (2 * kills + 1)) + ["slow"]
    try server.plan(pace)
    try server.start()
    for kill in 1...kills {
      let process = try DaemonProcess(["replay", "-"] + flags, keepsInputOpen: true)
      let half = count - count * (2 * kill - 1) / (2 * kills + 1)
      try await process.wait(for: "messages") { (try? waiting(server.port)) ?? count < half }
      server.kill()
      try server.plan(pace)
      try server.start()
      let target = count - count * 2 * kill / (2 * kills + 1)
      try await process.wait(for: "more messages") { (try? waiting(server.port)) ?? count < target }
      try await process.killAndWait()
      #expect(try waiting(server.port) > 0, "the journal was empty before the signal")
      // Only "slow" is left of the plan, which nobody changes but this test now.
      try server.plan(kill < kills ? pace : ["200"])
    }
    try await DaemonProcess.run(
      ["replay", try folder.recording(count..<count + 1), "--speed", "max"] + flags, status: 0)
    let arrived = epochs(server)
    var seen: Set<Int> = []
    #expect(arrived.filter { seen.insert($0).inserted } == Array(0...count))
    // One was on its way each time.
    let steps = zip(arrived, arrived.dropFirst()).map { $1 - $0 }.filter { $0 != 1 }
    #expect(steps.count <= 2 * kills + 1 && steps.allSatisfy { $0 == 0 }, "\(steps)")
  }

  @Test func aSignalEndsARequestThatHangsAndWhatWaitsIsCounted() async throws {
    let server = try RealServer(["200", "hang"])
    let process = try DaemonProcess(["replay", try folder.recording(0..<30), "--speed", "max"] + flags(server.port))
    // A hundred runs beside twenty compilers took up to 12 s for two requests.
    try await process.wait(for: "the second request") { server.requests.count >= 2 }
    try await process.wait(for: "locations") { process.output.count { $0 == "\n" } == 30 }
    let requests = server.requests.count
    let words = "29 records were not delivered to http://127.0.0.1:\(server.port) and are lost"
    let result = try await process.terminate(status: 74, saying: words)
    // Without a signal the request is given up after 30 s and sent again.
    #expect(server.requests.count == requests)
    #expect(
      result.messages.contains("records that the server has not accepted at the end are lost"), "\(result.messages)")
    #expect(!result.messages.contains("secret"), "\(result.messages)")
  }

  @Test func whatIsRefusedForEverIsLeftOutAndTheStatusSaysSo() async throws {
    let server = try RealServer(["200", "400", "200"])
    let password = try folder.write("open sesame\n", to: "password")
    let result = try await DaemonProcess.run(
      [
        "replay", try folder.recording(0..<5), "--speed", "max", "--journal", journal, "--publish-password-file",
        password,
      ] + flags(server.port), status: 74,
      saying: "1 message was refused by http://127.0.0.1:\(server.port) and skipped")
    #expect(epochs(server) == Array(0..<5))
    #expect(result.messages.contains("400 Bad Request"), "\(result.messages)")
    let right = "Basic " + Data("ann:open sesame".utf8).base64EncodedString()
    #expect(Set(server.requests.map { $0.headers["authorization"] }) == [right])
  }

  @Test func aProxyOfTheEnvironmentIsUsed() async throws {
    let proxy = try RealServer()
    let process = try DaemonProcess(
      "/usr/bin/env",
      [
        "http_proxy=http://127.0.0.1:\(proxy.port)", "no_proxy=", DaemonProcess.executable.path, "replay",
        try folder.recording(0..<2), "--speed", "max", "--publish", "http://name.invalid/pub",
      ])
    try await process.waitUntilExit(status: 0)
    #expect(proxy.requests.map(\.path) == ["http://name.invalid/pub", "http://name.invalid/pub"])
  }

  @Test func eachOfSeveralHasACursorOfItsOwn() async throws {
    let (first, second) = (try RealServer(), try RealServer(["503"]))
    let broker = try RealBroker()
    let subscriber = try BrokerSubscriber(broker, "owntracks/#")
    let addresses = ["mqtt://127.0.0.1:\(broker.port)"] + [first, second].map { "http://127.0.0.1:\($0.port)/pub" }
    func flags(_ addresses: [String]) -> [String] {
      ["--speed", "max", "--journal", journal, "--publish-topic", "owntracks/ann/car"]
        + addresses.flatMap { ["--publish", $0] }
    }
    let metrics = LoopbackSocket.unusedPort()
    let process = try DaemonProcess(
      ["replay", try folder.recording(0..<20), "--metrics", "127.0.0.1:\(metrics)"] + flags(addresses))
    try await process.wait(toSay: "cannot publish to http://127.0.0.1:\(second.port): the server says: 503")
    // One that fails holds up no other.
    try await process.wait(for: "the others") { epochs(first).count == 20 && subscriber.messages.count == 20 }
    func queueRows(_ address: String) -> Double? {
      let end = address.lastIndex(of: "/") ?? address.endIndex
      let output = address.hasPrefix("http") ? address[..<end] : address[...]
      return (try? scrape(port: metrics)).flatMap {
        value("rxlocationd_publish_queue_rows{output=\"\(output)\"}", in: $0)
      }
    }
    // Waiting records are counted once a second.
    try await process.wait(for: "the metrics") { addresses.map(queueRows) == [0, 0, 20] }
    process.send(signal: SIGUSR1)
    try await process.wait(
      toSay: "http://127.0.0.1:\(second.port): 0 messages published, 20 records wait for the server")
    try await process.terminate()
    #expect(try waiting(first.port) == 0 && waiting(second.port) == 20)
    try second.plan(["200"])
    // Their order says nothing, and neither does the one that is left out.
    let recording = try folder.recording(20..<25)
    try await DaemonProcess.run(["replay", recording] + flags([addresses[2], addresses[1]]), status: 0)
    #expect(epochs(first) == Array(0..<25))
    #expect(second.requests.filter { $0.answer == "200" }.count == 25)
    #expect(try JournalReader(path: journal, name: "publish").waiting().count == 5)
  }

  /// It brings twenty other libraries along, which would be memory of every process.
  @Test func theLibraryIsLoadedWhereThereIsAServer() async throws {
    func loads(_ address: String) async throws -> Bool {
      let process = try DaemonProcess(
        ["replay", "-", "--publish", address, "--fence", "far=0,0,50"], keepsInputOpen: true)
      try await process.wait(toSay: "cannot publish to")
      // Foundation reads such a file by its size, which is 0, and gets its first page.
      let maps = try FileHandle(forReadingFrom: URL(fileURLWithPath: "/proc/\(process.identifier)/maps")).readToEnd()
      process.send(signal: SIGTERM)
      _ = try await process.waitUntilExit()
      return maps?.range(of: Data("libcurl".utf8)) != nil
    }
    #expect(try await loads("http://127.0.0.1:1/"))
    #expect(try await !loads("mqtt://127.0.0.1:1"))
  }

  @Test func aPasswordIsForItsHostAlone() async throws {
    let server = try RealServer()
    let broker = try folder.write("of the broker", to: "broker")
    let own = try folder.write("of the server", to: "own")
    let both =
      [
        "replay", try folder.recording(0..<1), "--speed", "max", "--publish", "mqtt://localhost:1", "--publish-user",
        "bob",
      ]
      + flags(server.port)
    let ambiguous = try #require(await Refusal(both + ["--publish-password-file", broker]))
    #expect(ambiguous.status == 64)
    #expect(ambiguous.message.contains("127.0.0.1 and localhost each have a user"), "\(ambiguous)")
    let process = try DaemonProcess(
      both + ["--publish-password-file", "localhost=\(broker)", "--publish-password-file", "127.0.0.1=\(own)"])
    try await process.wait(for: "the message") { !server.requests.isEmpty }
    process.send(signal: SIGTERM)
    _ = try await process.waitUntilExit()
    let right = "Basic " + Data("ann:of the server".utf8).base64EncodedString()
    #expect(server.requests.first?.headers["authorization"] == right)
  }
}
