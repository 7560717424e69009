import Glibc
import GPSD
import LocationKit
import Platform
import Testing
import TestSupport

extension GPSDTests {
  /// A scripted server instead of gpsd: what a real one does not do on command.
  @MainActor
  @Suite(.serialized, .timeLimit(.minutes(30)))
  struct FakeGPSDTests {
    private static let greeting =
      "{\"class\":\"VERSION\",\"release\":\"3.22\",\"proto_major\":3,\"proto_minor\":14}\r\n"
    private static let watching =
      "{\"class\":\"DEVICES\",\"devices\":[{\"class\":\"DEVICE\",\"path\":\"/dev/a\"}]}\r\n"
      + "{\"class\":\"WATCH\",\"enable\":true,\"json\":true}\r\n"

    let server: LoopbackSocket

    init() throws {
      server = try LoopbackSocket.listener()
    }

    func makeSource(device: String? = nil, greetingTimeout: Double = 20) -> GPSDSource {
      GPSDSource(
        endpoint: GPSDEndpoint(host: "127.0.0.1", port: server.port, device: device),
        configuration: GPSDConfiguration(
          minimumRetryDelay: 0.01, maximumRetryDelay: 0.05, greetingTimeout: greetingTimeout))
    }

    /// Takes a client through the handshake.
    func welcome() async throws -> LoopbackSocket {
      let client = try await server.nextClient()
      client.send(Self.greeting)
      let command = try await client.next()
      #expect(String(decoding: command, as: UTF8.self) == "?WATCH={\"enable\":true,\"json\":true};\n")
      client.send(Self.watching)
      return client
    }

    /// A source with a listener, and what it is connected to.
    func connect(device: String? = nil) async throws -> (GPSDSource, Listener, LoopbackSocket) {
      let source = makeSource(device: device)
      let listener = Listener(source)
      return (source, listener, try await welcome())
    }

    func tpv(
      _ second: Int, _ members: String = "\"mode\":3,\"lat\":51.5,\"lon\":-0.125", device: String = "/dev/a"
    )
      -> String
    {
      let time = "2025-02-01T12:\(10 + second / 60):\(10 + second % 50).000Z"
      return "{\"class\":\"TPV\",\"device\":\"\(device)\",\"time\":\"\(time)\",\(members)}\r\n"
    }

    @Test func aBusyMainActorUsesUpNoneOfGPSDsTime() async throws {
      let source = makeSource(greetingTimeout: 1)
      let listener = Listener(source)
      let client = try await server.nextClient()
      try #require(await eventually { source.authorizationStatus == .authorizedAlways })
      // The main actor is busy from here on.
      client.send(Self.greeting)
      try #require(client.isReadable(within: 10))
      _ = client.receive()
      client.send(Self.watching)
      // Longer than the time that gpsd has.
      usleep(1_500_000)
      #expect(await eventually { listener.connections == 1 })
      #expect(listener.failures.isEmpty)
      source.detach(listener)
    }

    @Test func satellitesComeWhileSomebodyWantsThem() async throws {
      let source = makeSource()
      let first = PartListener(source, to: .locations)
      let client = try await welcome()
      let sky = "{\"class\":\"SKY\",\"device\":\"/dev/a\",\"satellites\":[{\"PRN\":1,\"used\":true},{\"PRN\":2}]}\r\n"
      let heading = "{\"class\":\"ATT\",\"device\":\"/dev/a\",\"heading\":1.5}\r\n"
      client.send(sky + heading + tpv(1))
      #expect(await eventually { first.locations.count == 1 })
      #expect(first.locations[0].satellitesUsed == 1 && first.locations[0].satellitesSeen == 2)
      let second = PartListener(source, to: [.satellites, .headings])
      client.send(sky + heading + tpv(2))
      #expect(await eventually { first.locations.count == 2 })
      #expect(second.others == 2 && second.locations.isEmpty)
      source.detach(second)
      client.send(sky + heading + tpv(3))
      #expect(await eventually { first.locations.count == 3 })
      #expect(first.others == 0 && second.others == 2)
      source.detach(first)
    }

    /// Some receivers' SKY has no list every time, and its counts are newer than those of a list.
    @Test func countsOfSatellitesNeedNoList() async throws {
      let (source, listener, client) = try await connect()
      let counts = "{\"class\":\"SKY\",\"device\":\"/dev/a\",\"nSat\":12,\"uSat\":8,\"hdop\":0.8}\r\n"
      let list =
        "{\"class\":\"SKY\",\"device\":\"/dev/a\",\"nSat\":2,\"uSat\":2,\"satellites\":"
        + "[{\"PRN\":2,\"used\":true},{\"PRN\":5,\"used\":true}]}\r\n"
      let dilution = "{\"class\":\"SKY\",\"device\":\"/dev/a\",\"hdop\":0.7}\r\n"
      client.send(counts + tpv(0) + list + tpv(1) + counts + tpv(2) + dilution + tpv(3))
      try #require(await eventually { listener.locations.count == 4 })
      #expect(listener.locations.map(\.satellitesUsed) == [8, 2, 8, 8])
      #expect(listener.locations.map(\.satellitesSeen) == [12, 2, 12, 12])
      source.detach(listener)
    }

    @Test func saysWhatItDoes() async throws {
      let source = makeSource()
      #expect(source.status == .idle && source.authorizationStatus == .notDetermined)
      let listener = Listener(source)
      let client = try await welcome()
      client.send(tpv(0))
      try #require(await eventually { !listener.locations.isEmpty })
      #expect(
        listener.events.prefix(2) == [.status(.connecting), .status(.connected(devices: ["/dev/a"]))])
      #expect(source.status == .connected(devices: ["/dev/a"]) && source.authorizationStatus == .authorizedAlways)
      #expect(listener.notableLog == ["connected to gpsd 3.22 at 127.0.0.1:\(server.port): /dev/a"])
      source.detach(listener)
      #expect(source.status == .idle)
      // The end of the connection reaches the server.
      #expect(try await client.next() == [])
    }

    @Test func bytesMayComeOneByOne() async throws {
      let source = makeSource()
      let listener = Listener(source)
      let client = try await server.nextClient()
      var yes: Int32 = 1
      setsockopt(client.descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
      for byte in (Self.greeting + Self.watching + tpv(0) + tpv(1)).utf8 { client.send([byte]) }
      try #require(await eventually { listener.locations.count == 2 })
      source.detach(listener)
    }

    @Test func halfALineDoesNotBlock() async throws {
      let (source, listener, client) = try await connect()
      let line = tpv(0)
      client.send(String(line.prefix(60)))
      // Another source connects meanwhile.
      let other = makeSource()
      let later = Listener(other)
      _ = try await welcome()
      try #require(await eventually { later.connections == 1 })
      other.detach(later)
      #expect(listener.locations.isEmpty)
      client.send(String(line.dropFirst(60)) + String(tpv(1).prefix(30)))
      try #require(await eventually { listener.locations.count == 1 })
      // Stopping in the middle of a line is no different.
      #expect(stopTime(of: source, listener) < 4)
    }

    @Test func aReceiverThatTheManagerRejectsDoesNotBlockABetterOne() async throws {
      let manager = LocationManager(source: makeSource())
      manager.accuracyFilter = 10
      manager.startUpdatingLocation()
      let client = try await welcome()
      client.send(tpv(0, #""mode":3,"lat":51.5,"lon":1.0,"eph":50.0"#))
      client.send(tpv(0, #""mode":3,"lat":51.5,"lon":2.0,"eph":5.0"#, device: "/dev/b"))
      #expect(await eventually { manager.location?.coordinate.longitude == 2 })
      manager.stopUpdatingLocation()
    }

    @Test func hostileInputIsSteppedOver() async throws {
      let (source, listener, client) = try await connect()
      var generator = SplitMix(state: 5)
      let noise = (0..<300_000).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
      client.send(tpv(0))
      client.send(noise + [10])
      client.send(tpv(1))
      client.send([UInt8](repeating: UInt8(ascii: "x"), count: 3_000_000) + [10])
      client.send(tpv(2))
      client.send("{\"class\":\"TPV\",\"lat\":#,\"class\":\"TPV\"}\n{\"class\":\"AIS\",\"x\":1}\n\n\r\n{}\nnull\n")
      client.send(
        "{\"class\":\"TPV\"}\n{\"class\":\"SKY\"}\n{\"class\":\"ATT\"}\n{\"class\":\"DEVICE\"}\n{\"class\":\"ERROR\"}\n"
      )
      client.send(String(repeating: "{\"class\":\"ERROR\",\"message\":\"\\u001b[31mred\"}\n", count: 500))
      client.send(tpv(3, "\"mode\":3,\"lat\":91.0,\"lon\":0.0") + tpv(4, "\"mode\":3") + tpv(5, "\"mode\":1"))
      client.send(tpv(6))
      try #require(await eventually { listener.locations.count == 4 })
      #expect(
        listener.locations.allSatisfy { $0.coordinate == LocationCoordinate2D(latitude: 51.5, longitude: -0.125) })
      #expect(listener.noFixes == 1, "one more is of a receiver that is not followed")
      #expect(listener.failures.isEmpty && listener.connections == 1)
      #expect(listener.notableLog.count == 12)
      #expect(listener.notableLog.contains("gpsd says: ?[31mred"))
      source.detach(listener)
    }

    @Test func aFilterLetsOneDeviceThrough() async throws {
      let (source, listener, client) = try await connect(device: "/dev/b")
      client.send(tpv(0) + tpv(0, device: "/dev/b"))
      client.send("{\"class\":\"SKY\",\"device\":\"/dev/a\",\"satellites\":[{\"PRN\":1,\"used\":true}]}\n")
      client.send("{\"class\":\"ATT\",\"device\":\"/dev/a\",\"heading\":1.0}\n")
      client.send("{\"class\":\"ATT\",\"device\":\"/dev/b\",\"heading\":2.0}\n")
      client.send("{\"class\":\"DEVICE\",\"path\":\"/dev/b\",\"activated\":\"2026-11-21T10:07:26.604Z\"}\n")
      client.send("{\"class\":\"DEVICE\",\"path\":\"/dev/b\",\"activated\":0}\n" + tpv(1, device: "/dev/b"))
      try #require(await eventually { listener.locations.count == 2 })
      #expect(listener.locations.allSatisfy { $0.sourceInformation?.device == "/dev/b" && $0.satellitesSeen == nil })
      #expect(listener.headings == [Heading(trueHeading: 2)])
      #expect(
        listener.statuses.suffix(3) == [
          .connected(devices: ["/dev/a"]), .connected(devices: ["/dev/a", "/dev/b"]), .connected(devices: ["/dev/a"]),
        ])
      let warning = "gpsd at 127.0.0.1:\(server.port) has no device /dev/b; waiting for it"
      #expect(listener.notableLog.dropFirst() == [warning, "gpsd has /dev/b", "gpsd no longer has /dev/b", warning])
      source.detach(listener)
    }

    @Test(arguments: [false, true]) func comesBackAfterAnEndOrAReset(reset: Bool) async throws {
      let source = makeSource()
      let listener = Listener(source)
      for round in 0..<5 {
        listener.clear()
        let client = try await welcome()
        client.send(tpv(round))
        try #require(await eventually { listener.locations.count == 1 })
        if reset { client.resetOnClose() }
        #expect(listener.failures.isEmpty)
      }
      try #require(await eventually { listener.notableLog.last?.contains("was lost") == true })
      let reason = reset ? "Connection reset by peer" : "gpsd closed the connection"
      #expect(
        listener.notableLog.last
          == "the connection to gpsd at 127.0.0.1:\(server.port) was lost: \(reason); reconnecting")
      source.detach(listener)
    }

    @Test func aServerThatCutsEveryLinkIsNotPressed() async throws {
      let source = GPSDSource(
        endpoint: GPSDEndpoint(host: "127.0.0.1", port: server.port),
        configuration: GPSDConfiguration(minimumRetryDelay: 0.01, maximumRetryDelay: 0.05, random: { 0.5 }))
      let listener = Listener(source)
      for _ in 0..<6 { _ = try await welcome() }
      let delays = { listener.statuses.compactMap { if case .waiting(_, let delay) = $0 { delay } else { nil } } }
      try #require(await eventually { delays().count >= 6 })
      #expect(delays().prefix(6) == [0.01, 0.015, 0.0225, 0.03375, 0.05, 0.05])
      #expect(listener.failures.count == 1)
      // A report is what ends it.
      let client = try await welcome()
      client.send(tpv(0))
      try #require(await eventually { !listener.locations.isEmpty })
      client.close()
      try #require(await eventually { delays().count == 7 })
      #expect(delays().last == 0.01)
      source.detach(listener)
    }

    @Test func anEndInTheMiddleOfALineIsNoReport() async throws {
      let source = makeSource()
      let listener = Listener(source)
      do {
        let client = try await welcome()
        client.send(String(tpv(0).dropLast(4)))
      }
      let client = try await welcome()
      client.send(tpv(1))
      try #require(await eventually { !listener.locations.isEmpty })
      #expect(listener.locations.count == 1 && listener.notableLog.count == 3)
      source.detach(listener)
    }

    @Test(arguments: ["HTTP/1.1 400 Bad Request\r\n\r\n", "220 mail ESMTP\r\n", "{\"class\":\"TPV\"}\n", "\u{0}\n"])
    func somethingElseOnThePortIsSaidAtOnce(text: String) async throws {
      let source = makeSource()
      let listener = Listener(source)
      var clients: [LoopbackSocket] = []
      for _ in 0..<3 {
        clients.append(try await server.nextClient())
        clients.last?.send(text)
      }
      try #require(await eventually { listener.statuses.count { $0 == .connecting } > 3 })
      let message = "no gpsd at 127.0.0.1:\(server.port): the server is not gpsd"
      #expect(listener.failures == [LocationError(.network, message)])
      #expect(listener.notableLog == [message + "; retrying every 0.05 s at most"])
      for client in clients { #expect(try await client.next() == [], "nothing is sent to a server that is not gpsd") }
      source.detach(listener)
    }

    @Test func aSilentPeerIsReportedOnceAndSoIsItsRecovery() async throws {
      let source = makeSource(greetingTimeout: 0.2)
      let listener = Listener(source)
      var silent = [try await server.nextClient()]
      let message =
        "no gpsd at 127.0.0.1:\(server.port): the server does not greet as gpsd does within 0.2 s"
      try #require(await eventually { !listener.failures.isEmpty })
      // The first try is enough.
      let before = listener.events.prefix { if case .failed = $0 { false } else { true } }
      #expect(before.count { $0 == .status(.connecting) } == 1)
      while silent.count < 3 { silent.append(try await server.nextClient()) }
      #expect(listener.failures == [LocationError(.network, message)])
      #expect(listener.notableLog == [message + "; retrying every 0.05 s at most"])
      // It speaks again. A client that it answers may have given up.
      while listener.connections == 0 {
        try #require(await eventually { server.isReadable(within: 0) || listener.connections > 0 })
        guard listener.connections == 0 else { break }
        silent.append(try server.accept())
        silent.last?.send(Self.greeting + Self.watching)
      }
      #expect(listener.notableLog.last == "connected to gpsd 3.22 at 127.0.0.1:\(server.port): /dev/a")
      source.detach(listener)
    }

    @Test func aGreetingAndMuchTalkIsNoWatch() async throws {
      let source = makeSource(greetingTimeout: 0.3)
      let listener = Listener(source)
      let client = try await server.nextClient()
      client.send(Self.greeting)
      try chatter(on: client)
      try #require(
        await eventually { listener.statuses.contains { if case .waiting = $0 { true } else { false } } })
      let reason = "the server does not confirm the watch as gpsd does within 0.3 s"
      #expect(listener.statuses.contains { if case .waiting(reason, _) = $0 { true } else { false } })
      source.detach(listener)
    }

    @Test func aReceiverThatComesBackBeginsAnew() async throws {
      let (source, listener, client) = try await connect()
      client.send(tpv(0) + tpv(0))
      client.send("{\"class\":\"DEVICE\",\"path\":\"/dev/a\",\"activated\":0}\r\n")
      client.send(tpv(0) + tpv(1))
      #expect(await eventually { listener.locations.count == 3 }, "the repetition counts after the return")
      source.detach(listener)
    }

    @Test func aReceiverThatGoesMakesRoomForAnother() async throws {
      let (source, listener, client) = try await connect()
      client.send("{\"class\":\"DEVICE\",\"path\":\"/dev/b\",\"activated\":\"2026-11-21T10:07:26.604Z\"}\n")
      client.send(tpv(0) + tpv(0, device: "/dev/b") + tpv(1))
      client.send("{\"class\":\"DEVICE\",\"path\":\"/dev/a\",\"activated\":0}\n" + tpv(2, device: "/dev/b"))
      try #require(await eventually { listener.locations.count == 3 })
      #expect(listener.locations.map { $0.sourceInformation?.device } == ["/dev/a", "/dev/a", "/dev/b"])
      source.detach(listener)
    }

    @Test func everyOutageIsReported() async throws {
      let source = GPSDSource(
        endpoint: GPSDEndpoint(host: "127.0.0.1", port: server.port),
        configuration: GPSDConfiguration(minimumRetryDelay: 0.01, maximumRetryDelay: 0.02, quietTries: 2))
      let listener = Listener(source)
      for outage in 1...3 {
        let client = try await welcome()
        client.send(tpv(outage))
        try #require(await eventually { listener.locations.count == outage })
        client.close()
        for _ in 0..<6 { try await server.nextClient().close() }
        try #require(await eventually { listener.failures.count == outage })
      }
      #expect(listener.failures.allSatisfy { $0.code == .network })
      source.detach(listener)
    }

    @Test func anotherProgramMayWriteSpaces() async throws {
      let source = makeSource()
      let listener = Listener(source)
      let client = try await server.nextClient()
      client.send("{\"class\": \"VERSION\", \"release\": \"stand-in\"}\n")
      _ = try await client.next()
      client.send(
        "{\"class\": \"WATCH\", \"enable\": true}\n{\"class\": \"TPV\", \"mode\": 3, \"lat\": 1.5, \"lon\": 2}\n")
      try #require(await eventually { !listener.locations.isEmpty })
      #expect(listener.locations.first?.coordinate == LocationCoordinate2D(latitude: 1.5, longitude: 2))
      source.detach(listener)
    }

    /// Stops the source and says how many seconds that took.
    func stopTime(of source: GPSDSource, _ listener: Listener) -> Double {
      let start = monotonicSeconds()
      source.detach(listener)
      return monotonicSeconds() - start
    }
  }
}

/// Has a thread send what is no answer as fast as `client` takes it, so that there is always something to read.
private func chatter(on client: LoopbackSocket) throws {
  try Thread.start {
    let talk = String(repeating: "{\"class\":\"PPS\"}\n", count: 1000)
    while client.send(talk) {}
  }
}
