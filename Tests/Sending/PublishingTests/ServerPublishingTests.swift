import Foundation
import Journal
import LocationKit
import Writing
import TestSupport
import Testing

@testable import Publishing

@Suite(.startsPrograms, .enabled(if: RealServer.isInstalled, "there is no python3 on this host"))
struct ServerPublishingTests {
  private func publisher(
    _ port: UInt16, _ records: [JournalRecord], fences: [CircularRegion] = [],
    _ configure: (inout PublisherConfiguration) -> Void = { _ in }
  ) throws -> TestPublisher {
    let address = PublishingAddress.server(host: "127.0.0.1", port: port, usesTLS: false, target: "/pub?key=secret")
    var configuration = PublisherConfiguration(address, topic: "owntracks/ann/car")
    configure(&configuration)
    return try TestPublisher(configuration, records, fences: fences)
  }

  private func numbers(_ requests: [RealServer.Request]) -> [Int] {
    requests.compactMap { ($0.json["tst"] as? Int).map { $0 - 1_700_000_000 } }
  }

  @Test func sendsEachMessageInOrderOverOneConnection() async throws {
    let server = try RealServer()
    let publisher = try publisher(server.port, fixes(300) + [.crossing(crossing(.inside, 300))], fences: [home])
    await publisher.finish()
    let requests = server.requests
    // Before them a fence, and all fences.
    #expect(numbers(Array(requests.dropFirst(2))) == Array(0...300))
    #expect(Set(requests.map(\.connection)).count == 1)
    #expect(Set(requests.map(\.path)) == ["/pub?key=secret"])
    let last = try #require(requests.last)
    #expect(last.headers["content-type"] == "application/json")
    #expect(last.headers["x-limit-u"] == "ann" && last.headers["x-limit-d"] == "car")
    #expect(last.headers["authorization"] == nil && last.headers["expect"] == nil)
    #expect(last.json["_type"] as? String == "transition")
    #expect(last.json["topic"] as? String == "owntracks/ann/car/event")
    #expect(requests.first?.json["topic"] as? String == "owntracks/ann/car/waypoint")
    #expect(publisher.cursor == 301)
    #expect(publisher.statistics.sent == 303 && publisher.statistics.acknowledged == 303)
    // The path may be a secret.
    #expect(publisher.said == ["publishing to http://127.0.0.1:\(server.port)"])
  }

  @Test(arguments: [
    "408", "429 Retry-After=1", "500", "503", "401", "403", "404", "301 Location=http://127.0.0.1:9/other", "close",
  ])
  func whatMayPassIsTriedAgainAndSaidOnce(answer: String) async throws {
    let server = try RealServer([answer, answer, "200"])
    let publisher = try publisher(server.port, fixes(3))
    await publisher.finish()
    // One that closed may be asked again at once by the library, and is asked again by the publisher.
    #expect(numbers(server.requests).filter { $0 > 0 } == [1, 2])
    #expect(server.requests.filter { $0.answer == "200" }.count == 3)
    #expect(publisher.cursor == 3)
    #expect(publisher.severities == [.warning, .notice], "\(publisher.said)")
    let words = ["301": "redirects to http://127.0.0.1:9, which is not followed", "close": "cannot publish"]
    let status = String(answer.prefix { $0 != " " })
    #expect(publisher.said.first?.contains(words[status] ?? "the server says: \(status) ") == true)
    #expect(publisher.statistics.skipped == 0 && publisher.statistics.refused == 0)
    #expect(!publisher.said.contains { $0.contains("secret") || $0.contains("other") })
  }

  /// The second number is larger than any that fits.
  @Test(arguments: ["3600", "99999999999999999999999"])
  func retryAfterIsRespected(seconds: String) async throws {
    let server = try RealServer(["503 Retry-After=\(seconds)"])
    let patient = try publisher(server.port, fixes(1))
    #expect(await eventually { !patient.said.isEmpty })
    #expect(patient.said[0].contains("asks to retry in 3600 s"), "\(patient.said)")
    // Without the header it would have been asked ten times until a second server has been.
    let other = try RealServer(["503"])
    let impatient = try publisher(other.port, fixes(1))
    #expect(await eventually { other.requests.count >= 10 })
    #expect(server.requests.count == 1)
    for publisher in [patient, impatient] { await publisher.end() }
  }

  @Test(arguments: ["400", "413", "422"])
  func permanentRefusalsAreSkippedAndReportedOnce(answer: String) async throws {
    let server = try RealServer(["200", answer, answer, "200"])
    let publisher = try publisher(server.port, fixes(5))
    await publisher.finish()
    #expect(numbers(server.requests) == [0, 1, 2, 3, 4])
    #expect(publisher.cursor == 5)
    #expect(publisher.statistics.skipped == 2)
    #expect(publisher.severities == [.notice, .warning])
    #expect(publisher.said.last?.contains("which is skipped: \(answer) ") == true)
  }

  @Test func aWrongPasswordIsReportedAndARightOneCountsAtOnce() async throws {
    let server = try RealServer(["401"])
    let folder = TemporaryFolder()
    let password = try folder.write("wrong", to: "password")
    let publisher = try publisher(server.port, fixes(1)) {
      ($0.session.user, $0.session.passwordFile) = ("ann", password)
    }
    #expect(await eventually { server.requests.count > 2 })
    try folder.write("r\u{E9}:ight\n", to: "password")
    let right = "Basic " + Data("ann:r\u{E9}:ight".utf8).base64EncodedString()
    #expect(await eventually { server.requests.last?.headers["authorization"] == right })
    #expect(publisher.cursor == 0)
    try server.plan(["200"])
    await publisher.finish()
    #expect(publisher.cursor == 1)
    #expect(publisher.severities == [.warning, .notice])
    #expect(!publisher.said.contains { $0.contains("ight") || $0.contains("wrong") })
  }

  @Test func aLongAnswerIsNotReadToItsEnd() async throws {
    let server = try RealServer(["long"])
    let publisher = try publisher(server.port, fixes(3))
    await publisher.finish()
    #expect(numbers(server.requests) == [0, 1, 2])
    #expect(publisher.statistics.acknowledged == 3)
    // Its connection would have been used again.
    #expect(Set(server.requests.map(\.connection)).count == 3)
  }

  @Test func endsAtOnceWhileARequestHangs() async throws {
    let server = try RealServer(["hang"])
    let publisher = try publisher(server.port, fixes(3)) { $0.acknowledgementTimeout = 3600 }
    #expect(await eventually { server.requests.count == 1 })
    #expect(await ends { await publisher.end() })
    #expect(publisher.cursor == 0)
  }

  @Test func aRequestThatHangsIsSentAgain() async throws {
    let server = try RealServer(["hang", "200"])
    let publisher = try publisher(server.port, fixes(2)) { $0.acknowledgementTimeout = 0.3 }
    await publisher.finish()
    #expect(numbers(server.requests).first == 0 && numbers(server.requests).last == 1)
    #expect(publisher.said.first?.contains("the server has acknowledged nothing for") == true, "\(publisher.said)")
  }

  @Test(arguments: [runsLongTests ? (20, 20_000) : (3, 2_000)])
  func losesNothingWhenTheServerIsKilled(kills: Int, count: Int) async throws {
    let server = try RealServer()
    let publisher = try publisher(server.port, fixes(count))
    for kill in 1...kills {
      let target = Int64(count * kill / (kills + 1))
      #expect(await eventually(within: 120) { publisher.cursor >= target })
      server.kill()
      try server.start()
    }
    await publisher.finish()
    let arrived = numbers(server.requests)
    var seen: Set<Int> = []
    #expect(arrived.filter { seen.insert($0).inserted } == Array(0..<count))
    // One was on its way each time.
    let steps = zip(arrived, arrived.dropFirst()).map { $1 - $0 }.filter { $0 != 1 }
    #expect(steps.count <= kills && steps.allSatisfy { $0 == 0 }, "\(steps)")
  }

  @Test func aPeerThatIsNotAServerIsReported() async throws {
    let listener = try LoopbackSocket.listener()
    let publisher = try publisher(listener.port, fixes(1))
    let client = try listener.accept()
    _ = client.receive()
    client.send("SSH-2.0-OpenSSH_9.2\r\n")
    client.close()
    #expect(await eventually { !publisher.said.isEmpty })
    #expect(publisher.said[0].contains("does not speak HTTP"), "\(publisher.said)")
    await publisher.end()
    #expect(publisher.cursor == 0)
  }
}
