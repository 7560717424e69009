import GPSD
import Platform
import Testing
import TestSupport

extension GPSDTests {
  /// A probe against a scripted server.
  @MainActor
  @Suite(.timeLimit(.minutes(30)))
  struct GPSDProbeTests {
    private static let greeting = "{\"class\":\"VERSION\",\"release\":\"3.25\"}\r\n"
    private static let device = "{\"class\":\"DEVICES\",\"devices\":[{\"class\":\"DEVICE\",\"path\":\"/dev/a\"}]}\n"
    private static let watch = "{\"class\":\"WATCH\",\"enable\":true}\n"

    /// Runs a probe against a server that sends `text` and then keeps the connection open.
    private func probe(_ text: String, device: String? = nil, patience: Double = 60) async throws -> [GPSDFinding] {
      let server = try LoopbackSocket.listener()
      let endpoint = GPSDEndpoint(host: "127.0.0.1", port: server.port, device: device)
      async let findings = GPSDProbe(endpoint: endpoint, patience: patience).run()
      let client = try await server.nextClient()
      client.send(text)
      return await findings
    }

    /// With a list of satellites, and with their counts alone.
    @Test(arguments: [#""satellites":[{"PRN":1,"used":true},{"PRN":2}]"#, #""nSat":2,"uSat":1"#])
    func findsAFix(_ satellites: String) async throws {
      let findings = try await probe(
        Self.greeting + Self.device + Self.watch
          + "{\"class\":\"SKY\",\"device\":\"/dev/a\",\(satellites)}\n"
          + "{\"class\":\"TPV\",\"device\":\"/dev/a\",\"mode\":3,\"lat\":1.0,\"lon\":2.0}\n")
      #expect(
        findings == [
          .addresses(1), .connected, .gpsd(release: "3.25"), .devices(["/dev/a"]), .data,
          .fix(dimensions: 3, .init(seen: 2, used: 1)), .noTime,
        ])
    }

    @Test func tellsOfLeapSecondsAndThePulse() async throws {
      let server = try LoopbackSocket.listener()
      async let findings = GPSDProbe(endpoint: GPSDEndpoint(host: "127.0.0.1", port: server.port), patience: 60).run()
      let client = try await server.nextClient()
      client.send(
        Self.greeting + Self.device + Self.watch
          + "{\"class\":\"TPV\",\"device\":\"/dev/a\",\"mode\":3,\"lat\":1.0,\"lon\":2.0,\"leapseconds\":18}\n"
          + "{\"class\":\"SKY\",\"device\":\"/dev/a\",\"satellites\":[{\"PRN\":1,\"used\":true}]}\n"
          + "{\"class\":\"PPS\",\"device\":\"/dev/a\",\"real_sec\":1750000000,\"real_nsec\":0,"
          + "\"clock_sec\":1749999999,\"clock_nsec\":999988000,\"precision\":-20}\n")
      let found = await findings
      #expect(found.contains(.leapSeconds(18)), "\(found)")
      guard case .pulse("/dev/a", let offset, -20) = found.last else { Issue.record("\(found)"); return }
      #expect(abs(offset + 12e-6) < 1e-9)
      let asked = String(decoding: try #require(client.receive()), as: UTF8.self)
      #expect(asked.contains("\"pps\":true"))
    }

    /// The pulse is waited for when all else is known: what happens then takes nothing from it.
    @Test func keepsWhatItKnowsWhenTheConnectionEndsBeforeAPulse() async throws {
      let server = try LoopbackSocket.listener()
      async let findings = GPSDProbe(endpoint: GPSDEndpoint(host: "127.0.0.1", port: server.port), patience: 60).run()
      let client = try await server.nextClient()
      client.send(
        Self.greeting + Self.device + Self.watch
          + "{\"class\":\"SKY\",\"device\":\"/dev/a\",\"satellites\":[{\"PRN\":1,\"used\":true}]}\n"
          + "{\"class\":\"TPV\",\"device\":\"/dev/a\",\"mode\":3,\"lat\":1.0,\"lon\":2.0,\"leapseconds\":18}\n")
      // Read, so that the connection ends rather than breaks.
      _ = try await client.next()
      client.close()
      let found = await findings
      #expect(found.suffix(3) == [.fix(dimensions: 3, .init(seen: 1, used: 1)), .noTime, .leapSeconds(18)], "\(found)")
    }

    @Test func judgesTheClock() async throws {
      let findings = try await probe(
        Self.greeting + Self.device + Self.watch
          + "{\"class\":\"SKY\",\"device\":\"/dev/a\",\"satellites\":[{\"PRN\":1,\"used\":true}]}\n"
          + "{\"class\":\"TPV\",\"device\":\"/dev/a\",\"time\":\"2020-01-01T00:00:00.000Z\",\"mode\":3,\"lat\":1.0,"
          + "\"lon\":2.0}\n")
      guard case .clockDiffers(let seconds) = findings.last else { Issue.record("\(findings)"); return }
      #expect(seconds > 86_400, "this host is ahead")
      #expect(findings.last?.outcome == .warning)
    }

    @Test func takesOnlyItsTimeForASilentPort() async throws {
      let start = monotonicSeconds()
      let findings = try await probe("", patience: 1)
      #expect(findings.last == .noGreeting(within: 1))
      // Without a limit it would wait for ever.
      #expect(monotonicSeconds() - start < 30)
    }

    @Test func takesOnlyItsTimeForAChatteringPeer() async throws {
      let server = try LoopbackSocket.listener()
      async let findings = GPSDProbe(endpoint: GPSDEndpoint(host: "127.0.0.1", port: server.port), patience: 0.5).run()
      let client = try await server.nextClient()
      client.send(Self.greeting + Self.device)
      try chatter(on: client)
      #expect(await findings.last == .watchNotConfirmed(within: 0.5))
    }

    @Test func saysWhatIsMissing() async throws {
      #expect(try await probe("HTTP/1.1 400 Bad Request\r\n").last == .notGPSD)
      #expect(
        try await probe(Self.greeting + "{\"class\":\"DEVICES\",\"devices\":[]}\n" + Self.watch).last == .noDevices)
      #expect(
        try await probe(Self.greeting + Self.device + Self.watch, device: "/dev/b").last
          == .deviceMissing("/dev/b", others: ["/dev/a"]))
      #expect(
        try await probe(Self.greeting + Self.device + Self.watch, patience: 0.3).last == .noData(within: 0.3))
      #expect(
        try await probe(
          Self.greeting + Self.device + Self.watch + "{\"class\":\"TPV\",\"device\":\"/dev/a\",\"mode\":1}\n",
          patience: 0.3
        ).last == .noFix(nil))
    }

    @Test func saysThatNobodyListens() async throws {
      let port = try LoopbackSocket.unusedPort()
      let findings = await GPSDProbe(endpoint: GPSDEndpoint(host: "127.0.0.1", port: port)).run()
      #expect(findings == [.addresses(1), .connectionRefused(reason: "Connection refused")])
      let nowhere = await GPSDProbe(endpoint: GPSDEndpoint(host: "no-such-host.invalid")).run()
      #expect(nowhere.count == 1 && nowhere[0].step == .name && nowhere[0].outcome == .failure)
    }
  }
}

/// Has a thread send what is no answer as fast as `client` takes it, so that there is always something to read.
func chatter(on client: LoopbackSocket) throws {
  try Thread.start {
    let talk = String(repeating: "{\"class\":\"PPS\"}\n", count: 1000)
    while client.send(talk) {}
  }
}
