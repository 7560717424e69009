import Foundation
import Glibc
import Testing

@testable import Output

@Suite(.serialized) struct MetricsTests {
  @Test func theTextIsPrometheusExpositionFormat() {
    let registry = MetricsRegistry()
    let good = registry.counter("rxlocationd_locations_total", help: "Locations that were reported.")
    let bad = registry.counter(
      "rxlocationd_bad_lines_total", help: "Lines that were\nno \"sentences\" \\ at all.",
      labels: ["kind": "a\"b\\c\nd"])
    let other = registry.counter("rxlocationd_bad_lines_total", help: "", labels: ["kind": "checksum", "x": "y"])
    let gauge = registry.gauge("rxlocationd_horizontal_accuracy_meters", help: "Uncertainty.")
    registry.gauge("rxlocationd_fix_age_seconds", help: "Age.") { 0.25 }
    registry.gauge("rxlocationd_unknown", help: "Never known.") { nil }
    registry.counter("rxlocationd_regions_total", help: "Regions.") { 1e15 }
    good.increment()
    good.increment(by: 41)
    good.increment(by: -5)
    bad.increment()
    #expect(good.value == 42)
    #expect(other.value == 0)
    let expected = """
      # HELP rxlocationd_locations_total Locations that were reported.
      # TYPE rxlocationd_locations_total counter
      rxlocationd_locations_total 42
      # HELP rxlocationd_bad_lines_total Lines that were\\nno "sentences" \\\\ at all.
      # TYPE rxlocationd_bad_lines_total counter
      rxlocationd_bad_lines_total{kind="a\\"b\\\\c\\nd"} 1
      rxlocationd_bad_lines_total{kind="checksum",x="y"} 0
      # HELP rxlocationd_fix_age_seconds Age.
      # TYPE rxlocationd_fix_age_seconds gauge
      rxlocationd_fix_age_seconds 0.25
      # HELP rxlocationd_regions_total Regions.
      # TYPE rxlocationd_regions_total counter
      rxlocationd_regions_total 1000000000000000

      """
    #expect(registry.text() == expected)
    gauge.value = 2.5
    #expect(registry.text().contains("rxlocationd_horizontal_accuracy_meters 2.5\n"))
    gauge.value = nil
    #expect(registry.text() == expected)
  }

  @Test func promtoolFindsNothingWrong() throws {
    let candidates = [ProcessInfo.processInfo.environment["PROMTOOL"], "/usr/bin/promtool"].compactMap { $0 }
    guard let tool = candidates.first(where: FileManager.default.isExecutableFile) else { return }
    let registry = MetricsRegistry()
    registry.counter("rxlocationd_locations_total", help: "Locations that were reported.").increment()
    registry.counter("rxlocationd_bad_lines_total", help: "Bad lines.", labels: ["kind": "a\"b\\c\nd"]).increment()
    registry.gauge("rxlocationd_fix_age_seconds", help: "Age of the last fix.").value = 1e-7
    let process = Process()
    process.executableURL = URL(fileURLWithPath: tool)
    process.arguments = ["check", "metrics"]
    let input = Pipe()
    let output = Pipe()
    process.standardInput = input
    process.standardOutput = output
    process.standardError = output
    try process.run()
    input.fileHandleForWriting.write(Data(registry.text().utf8))
    try input.fileHandleForWriting.close()
    let said = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(said == "")
    #expect(process.terminationStatus == 0)
  }

  @Test(arguments: [
    ("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n", MetricsRequest.Answer.metrics(hasBody: true)),
    ("GET /metrics HTTP/1.0\n\n", .metrics(hasBody: true)),
    ("\r\n\r\nGET /metrics HTTP/1.1\r\n\r\n", .metrics(hasBody: true)),
    ("GET /metrics?x=1 HTTP/1.1\r\n\r\n", .metrics(hasBody: true)),
    ("HEAD /metrics HTTP/1.1\r\n\r\n", .metrics(hasBody: false)),
    ("GET / HTTP/1.1\r\n\r\n", .notFound), ("GET /metricsx HTTP/1.1\r\n\r\n", .notFound),
    ("POST /metrics HTTP/1.1\r\n\r\n", .methodNotAllowed), ("get /metrics HTTP/1.1\r\n\r\n", .methodNotAllowed),
    ("GET /metrics HTTP/2.0\r\n\r\n", .versionNotSupported), ("PRI * HTTP/2.0\r\n\r\n", .versionNotSupported),
    ("GET /metrics\r\n", .badRequest), ("GET  /metrics HTTP/1.1\r\n", .badRequest), ("hello\r\n", .badRequest),
    ("G=T /metrics HTTP/1.1\r\n", .badRequest), (" /metrics HTTP/1.1\r\n", .badRequest),
    ("GET /metrics HTTP/1.1 x\r\n", .badRequest), ("\u{16}\u{3}\u{1}", .badRequest), ("\0", .badRequest),
    ("GET /ü HTTP/1.1\r\n", .badRequest),
    ("GET /metrics HTTP/1.1\r\nX: " + String(repeating: "y", count: 9000), .headerTooLarge),
    ("GET /" + String(repeating: "y", count: 9000), .headerTooLarge),
  ])
  func requests(_ text: String, _ answer: MetricsRequest.Answer) {
    var whole = MetricsRequest()
    #expect(whole.take(Array(text.utf8)) == answer)
    // Byte by byte it is the same.
    var request = MetricsRequest()
    var first: MetricsRequest.Answer?
    for byte in text.utf8 where first == nil { first = request.take(CollectionOfOne(byte)) }
    #expect(first == answer)
  }

  @Test func anIncompleteRequestHasNoAnswerYet() {
    for text in ["", "GET", "GET /metrics HTTP/1.1\r\n", "GET /metrics HTTP/1.1\r\nHost: x\r\n", "\r\n"] {
      var request = MetricsRequest()
      #expect(request.take(Array(text.utf8)) == nil)
    }
  }

  @Test func junkIsAnsweredOrClosedAndNeverACrash() async throws {
    let loop = NetworkLoop()
    let endpoint = MetricsEndpoint(loop: loop) { "metric 1\n" }
    try await endpoint.listen(on: MetricsAddress(port: 0))
    let port = try #require(endpoint.ports.first)

    let client = try Client.tcp(port)
    client.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
    #expect(
      await client.rest() == """
        HTTP/1.1 200 OK\r
        Content-Type: text/plain; version=0.0.4; charset=utf-8\r
        Content-Length: 9\r
        Connection: close\r
        \r
        metric 1

        """)
    let head = try Client.tcp(port)
    head.send("HEAD /metrics HTTP/1.1\r\n\r\n")
    let answer = await head.rest()
    #expect(answer.contains("Content-Length: 9\r\n") && answer.hasSuffix("\r\n\r\n"))
    let post = try Client.tcp(port)
    post.send("POST /metrics HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello")
    let refusal = await post.rest()
    #expect(refusal.hasPrefix("HTTP/1.1 405 ") && refusal.contains("Allow: GET, HEAD\r\n"))

    var random = SeededGenerator(seed: 5)
    for _ in 0..<200 {
      let junk = try Client.tcp(port)
      let length = Int.random(in: 0...300, using: &random)
      junk.send(String(decoding: (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }, as: UTF8.self))
      junk.endSending()
      let answer = await junk.rest()
      #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 400 ") || answer.hasPrefix("HTTP/1.1 431 "))
    }
    let again = try Client.tcp(port)
    again.send("GET /metrics HTTP/1.0\r\n\r\n")
    #expect(await again.rest().hasSuffix("\r\n\r\nmetric 1\n"))
    await endpoint.shutdown()
    await loop.shutdown()
  }

  @Test func aSlowClientIsClosedAndTooManyAreRefused() async throws {
    let loop = NetworkLoop()
    let endpoint = MetricsEndpoint(loop: loop, timeout: .seconds(2)) { "metric 1\n" }
    try await endpoint.listen(on: MetricsAddress(port: 0))
    let port = try #require(endpoint.ports.first)
    let slow = try (0..<64).map { _ in try Client.tcp(port) }
    for client in slow { client.send("GET /met") }
    let refused = try Client.tcp(port)
    #expect(await refused.rest() == "")
    for client in slow { #expect(await client.rest() == "") }
    let next = try Client.tcp(port)
    next.send("GET /metrics HTTP/1.1\r\n\r\n")
    #expect(await next.rest().hasSuffix("metric 1\n"))
    await endpoint.shutdown()
    await loop.shutdown()
  }

  @Test func aTakenPortIsAnErrorThatNamesIt() async throws {
    let loop = NetworkLoop()
    let notices = Collector<OutputNotice>()
    let endpoint = MetricsEndpoint(loop: loop, onNotice: notices.add) { "" }
    try await endpoint.listen(on: MetricsAddress(port: 0))
    let port = try #require(endpoint.ports.first)
    #expect(notices.all.isEmpty)
    do throws(OutputError) {
      try await endpoint.listen(on: MetricsAddress(port: port))
      Issue.record("opened twice")
    } catch {
      #expect(
        error.message == "metrics endpoint 127.0.0.1:\(port) cannot be opened: port \(port) is in use; "
          + "stop that program or choose another port")
    }
    await endpoint.shutdown()
    await loop.shutdown()
  }

  @Test(arguments: [
    ("9100", "127.0.0.1:9100"), ("127.0.0.1:0", "127.0.0.1:0"), ("[::1]:9100", "[::1]:9100"),
    ("localhost:1", "localhost:1"),
  ])
  func addresses(_ text: String, _ description: String) throws {
    #expect(try MetricsAddress(parsing: text).description == description)
  }

  @Test(arguments: ["", ":", "x", "localhost:", "localhost:x", "65536", "::1:9100", "-1"])
  func malformedAddresses(_ text: String) {
    let error = #expect(throws: OutputError.self) { try MetricsAddress(parsing: text) }
    #expect(error?.exitStatus == 64)
  }
}
