import Glibc
import GPSD
import LocationKit
import Platform
import Testing
import TestSupport

extension GPSDTests {
  /// A scripted server instead of gpsd: what a real one does not do on command.
  @MainActor @Suite(.serialized, .timeLimit(.minutes(30)))
  struct FakeGPSDTests {
    private static let greeting = report("VERSION", #""release":"3.22","proto_major":3,"proto_minor":14"#)
    private static let watching =
      report("DEVICES", #""devices":[{"class":"DEVICE","path":"/dev/a"}]"#)
      + report("WATCH", #""enable":true,"json":true"#)

    let server: LoopbackSocket

    init() throws { server = try LoopbackSocket.listener() }

    func makeSource(
      device: String? = nil, _ configuration: GPSDConfiguration = GPSDConfiguration(), greetingTimeout: Double = 20,
      clock: VirtualClock? = nil
    ) -> GPSDSource {
      var configuration = configuration
      (configuration.minimumRetryDelay, configuration.maximumRetryDelay) = (0.01, 0.05)
      configuration.greetingTimeout = greetingTimeout
      return GPSDSource(
        endpoint: GPSDEndpoint(host: "127.0.0.1", port: server.port, device: device), configuration: configuration,
        clock: clock)
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

    /// A listener with its source, and what that is connected to.
    func connect(device: String? = nil) async throws -> (Listener, LoopbackSocket) {
      let listener = Listener(makeSource(device: device))
      return (listener, try await welcome())
    }

    private static func report(_ kind: String, _ members: String) -> String { "{\"class\":\"\(kind)\",\(members)}\r\n" }

    private func report(_ kind: String, _ members: String, device: String = "/dev/a") -> String {
      Self.report(kind, "\"device\":\"\(device)\",\(members)")
    }

    func tpv(
      _ second: Int, _ members: String = #""mode":3,"lat":51.5,"lon":-0.125"#, device: String = "/dev/a"
    ) -> String {
      let time = "2025-02-01T12:\(10 + second / 60):\(10 + second % 50).000Z"
      return report("TPV", "\"time\":\"\(time)\",\(members)", device: device)
    }

    /// gpsd's report of a device that has come, or has gone.
    private func device(_ path: String, isActive: Bool) -> String {
      Self.report("DEVICE", "\"path\":\"\(path)\",\"activated\":\(isActive ? "\"2026-11-21T10:07:26.604Z\"" : "0")")
    }

    @Test func aBusyMainActorUsesUpNoneOfGPSDsTime() async throws {
      let listener = Listener(makeSource(greetingTimeout: 3))
      let client = try await server.nextClient()
      try #require(await eventually { listener.source.authorizationStatus == .authorizedAlways })
      // The main actor is busy from here on.
      client.send(Self.greeting)
      try #require(client.isReadable(within: 10))
      _ = client.receive()
      client.send(Self.watching)
      // Longer than the time that gpsd has.
      usleep(3_500_000)
      #expect(await eventually { listener.connections == 1 })
      #expect(listener.failures.isEmpty)
    }

    @Test func satellitesComeWhileSomebodyWantsThem() async throws {
      let first = Listener(makeSource(), to: .locations)
      let client = try await welcome()
      let others = report("SKY", #""satellites":[{"PRN":1,"used":true},{"PRN":2}]"#) + report("ATT", #""heading":1.5"#)
      client.send(others + tpv(1))
      #expect(await eventually { first.locations.count == 1 })
      #expect(first.locations[0].satellitesUsed == 1 && first.locations[0].satellitesSeen == 2)
      let second = Listener(first.source, to: [.satellites, .headings])
      client.send(others + tpv(2))
      #expect(await eventually { first.locations.count == 2 })
      second.stop()
      client.send(others + tpv(3))
      #expect(await eventually { first.locations.count == 3 })
      #expect(first.satellites.isEmpty && first.headings.isEmpty)
      #expect((second.satellites.count, second.headings.count, second.locations.count) == (1, 1, 0))
    }

    /// Some receivers' SKY has no list every time, and its counts are newer than those of a list.
    @Test func countsOfSatellitesNeedNoList() async throws {
      let (listener, client) = try await connect()
      let counts = report("SKY", #""nSat":12,"uSat":8,"hdop":0.8"#)
      let list = report("SKY", #""nSat":2,"uSat":2,"satellites":[{"PRN":2,"used":true},{"PRN":5,"used":true}]"#)
      client.send(counts + tpv(0) + list + tpv(1) + counts + tpv(2) + report("SKY", #""hdop":0.7"#) + tpv(3))
      try #require(await eventually { listener.locations.count == 4 })
      #expect(listener.locations.map(\.satellitesUsed) == [8, 2, 8, 8])
      #expect(listener.locations.map(\.satellitesSeen) == [12, 2, 12, 12])
    }

    @Test func saysWhatItDoes() async throws {
      let source = makeSource()
      #expect(source.status == .idle && source.authorizationStatus == .notDetermined)
      let listener = Listener(source)
      let client = try await welcome()
      client.send(tpv(0))
      try #require(await eventually { !listener.locations.isEmpty })
      #expect(listener.events.prefix(2) == [.status(.connecting), .status(.connected(devices: ["/dev/a"]))])
      #expect(source.status == .connected(devices: ["/dev/a"]) && source.authorizationStatus == .authorizedAlways)
      #expect(listener.notableLog == ["connected to gpsd 3.22 at 127.0.0.1:\(server.port): /dev/a"])
      listener.stop()
      #expect(source.status == .idle)
      // The end of the connection reaches the server.
      #expect(try await client.next() == [])
    }

    @Test func bytesMayComeOneByOne() async throws {
      let listener = Listener(makeSource())
      let client = try await server.nextClient()
      var yes: Int32 = 1
      setsockopt(client.descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
      for byte in (Self.greeting + Self.watching + tpv(0) + tpv(1)).utf8 { client.send([byte]) }
      try #require(await eventually { listener.locations.count == 2 })
    }

    @Test func halfALineDoesNotBlock() async throws {
      let (listener, client) = try await connect()
      let line = tpv(0)
      client.send(String(line.prefix(60)))
      // Another source connects meanwhile.
      let (later, _) = try await connect()
      try #require(await eventually { later.connections == 1 })
      later.stop()
      #expect(listener.locations.isEmpty)
      client.send(String(line.dropFirst(60)) + String(tpv(1).prefix(30)))
      try #require(await eventually { listener.locations.count == 1 })
      // Stopping in the middle of a line is no different.
      #expect(listener.stop() < 4)
    }

    @Test func aReceiverThatTheManagerRejectsDoesNotBlockABetterOne() async throws {
      let manager = LocationManager(source: makeSource())
      manager.accuracyFilter = 10
      manager.startUpdatingLocation()
      let client = try await welcome()
      client.send(tpv(0, #""mode":3,"lat":51.5,"lon":1.0,"eph":50.0"#))
      client.send(tpv(0, #""mode":3,"lat":51.5,"lon":2.0,"eph":5.0"#, device: "/dev/b"))
      #expect(await eventually { manager.location?.coordinate.longitude == 2 })
    }

    /// Half of the manager's stale limit is the silence that turns to the other receiver.
    @Test func anotherReceiverIsFollowedBeforeTheLocationIsStale() async throws {
      let clock = VirtualClock()
      let manager = LocationManager(source: makeSource(clock: clock))
      manager.staleAfter = 4
      manager.startUpdatingLocation()
      manager.startUpdatingHeading()
      let client = try await welcome()
      // A heading passes whoever is followed, so it shows that what was sent before it has come.
      for (second, step, followed) in [(1, 0, "/dev/a"), (2, 1.9, "/dev/a"), (3, 0.2, "/dev/b")] {
        clock.advance(by: step)
        client.send((second == 1 ? tpv(0) : "") + tpv(second, device: "/dev/b"))
        client.send(report("ATT", "\"heading\":\(second * 10).0"))
        try #require(await eventually { manager.heading?.trueHeading == Double(second * 10) })
        #expect(manager.location?.sourceInformation?.device == followed, "\(second)")
      }
    }

    @Test func hostileInputIsSteppedOver() async throws {
      let (listener, client) = try await connect()
      var generator = SplitMix(state: 5)
      client.send(tpv(0))
      client.send((0..<300_000).map { _ in UInt8(truncatingIfNeeded: generator.next()) } + [10])
      client.send(tpv(1))
      client.send([UInt8](repeating: UInt8(ascii: "x"), count: 3_000_000) + [10])
      client.send(tpv(2))
      client.send(#"{"class":"TPV","lat":#,"class":"TPV"}"# + "\n" + #"{"class":"AIS","x":1}"# + "\n\n\r\n{}\nnull\n")
      for kind in ["TPV", "SKY", "ATT", "DEVICE", "ERROR"] { client.send("{\"class\":\"\(kind)\"}\n") }
      for _ in 0..<500 { client.send(Self.report("ERROR", #""message":"\u001b[31mred""#)) }
      client.send(tpv(3, #""mode":3,"lat":91.0,"lon":0.0"#) + tpv(4, #""mode":3"#) + tpv(5, #""mode":1"#))
      client.send(tpv(6))
      try #require(await eventually { listener.locations.count == 4 })
      #expect(
        listener.locations.allSatisfy { $0.coordinate == LocationCoordinate2D(latitude: 51.5, longitude: -0.125) })
      #expect(listener.noFixes == 1, "one more is of a receiver that is not followed")
      #expect(listener.failures.isEmpty && listener.connections == 1)
      #expect(listener.notableLog.count == 12)
      #expect(listener.notableLog.contains("gpsd says: ?[31mred"))
    }

    @Test func aFilterLetsOneDeviceThrough() async throws {
      let (listener, client) = try await connect(device: "/dev/b")
      client.send(tpv(0) + tpv(0, device: "/dev/b"))
      client.send(report("SKY", #""satellites":[{"PRN":1,"used":true}]"#) + report("ATT", #""heading":1.0"#))
      client.send(report("ATT", #""heading":2.0"#, device: "/dev/b"))
      client.send(device("/dev/b", isActive: true) + device("/dev/b", isActive: false) + tpv(1, device: "/dev/b"))
      try #require(await eventually { listener.locations.count == 2 })
      #expect(listener.locations.allSatisfy { $0.sourceInformation?.device == "/dev/b" && $0.satellitesSeen == nil })
      #expect(listener.headings == [Heading(trueHeading: 2)])
      #expect(
        listener.statuses.suffix(3) == [
          .connected(devices: ["/dev/a"]), .connected(devices: ["/dev/a", "/dev/b"]), .connected(devices: ["/dev/a"]),
        ])
      let warning = "gpsd at 127.0.0.1:\(server.port) has no device /dev/b; waiting for it"
      #expect(listener.notableLog.dropFirst() == [warning, "gpsd has /dev/b", "gpsd no longer has /dev/b", warning])
    }

    @Test(arguments: [false, true]) func comesBackAfterAnEndOrAReset(reset: Bool) async throws {
      let listener = Listener(makeSource())
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
    }

    @Test func aServerThatCutsEveryLinkIsNotPressed() async throws {
      let listener = Listener(makeSource(GPSDConfiguration(random: { 0.5 })))
      for _ in 0..<6 { _ = try await welcome() }
      try #require(await eventually { listener.pauses.count >= 6 })
      #expect(listener.pauses.prefix(6).map(\.seconds) == [0.01, 0.015, 0.0225, 0.03375, 0.05, 0.05])
      #expect(listener.failures.count == 1)
      // A report is what ends it.
      let client = try await welcome()
      client.send(tpv(0))
      try #require(await eventually { !listener.locations.isEmpty })
      client.close()
      try #require(await eventually { listener.pauses.count == 7 })
      #expect(listener.pauses.last?.seconds == 0.01)
    }

    @Test func anEndInTheMiddleOfALineIsNoReport() async throws {
      let listener = Listener(makeSource())
      try await welcome().send(String(tpv(0).dropLast(4)))
      let client = try await welcome()
      client.send(tpv(1))
      try #require(await eventually { !listener.locations.isEmpty })
      #expect(listener.locations.count == 1 && listener.notableLog.count == 3)
    }

    @Test(arguments: ["HTTP/1.1 400 Bad Request\r\n\r\n", "220 mail ESMTP\r\n", "{\"class\":\"TPV\"}\n", "\u{0}\n"])
    func somethingElseOnThePortIsSaidAtOnce(text: String) async throws {
      let listener = Listener(makeSource())
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
    }

    @Test func aSilentPeerIsReportedOnceAndSoIsItsRecovery() async throws {
      let listener = Listener(makeSource(greetingTimeout: 0.2))
      var silent = [try await server.nextClient()]
      let message = "no gpsd at 127.0.0.1:\(server.port): the server does not greet as gpsd does within 0.2 s"
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
    }

    @Test func aGreetingAndMuchTalkIsNoWatch() async throws {
      let listener = Listener(makeSource(greetingTimeout: 1.5))
      let client = try await server.nextClient()
      client.send(Self.greeting)
      // As fast as the source takes it, so that there is always something to read.
      try Thread.start {
        let talk = String(repeating: "{\"class\":\"PPS\"}\n", count: 1000)
        while client.send(talk) {}
      }
      try #require(await eventually { !listener.pauses.isEmpty })
      #expect(listener.pauses.first?.reason == "the server does not confirm the watch as gpsd does within 1.5 s")
    }

    @Test func aReceiverThatComesBackBeginsAnew() async throws {
      let (listener, client) = try await connect()
      client.send(tpv(0) + tpv(0) + device("/dev/a", isActive: false) + tpv(0) + tpv(1))
      #expect(await eventually { listener.locations.count == 3 }, "the repetition counts after the return")
    }

    @Test func everyOutageIsReported() async throws {
      let listener = Listener(makeSource(GPSDConfiguration(quietTries: 2)))
      for outage in 1...3 {
        let client = try await welcome()
        client.send(tpv(outage))
        try #require(await eventually { listener.locations.count == outage })
        client.close()
        for _ in 0..<6 { try await server.nextClient().close() }
        try #require(await eventually { listener.failures.count == outage })
      }
      #expect(listener.failures.allSatisfy { $0.code == .network })
    }

    @Test func anotherProgramMayWriteSpaces() async throws {
      let listener = Listener(makeSource())
      let client = try await server.nextClient()
      client.send(#"{"class": "VERSION", "release": "stand-in"}"# + "\n")
      _ = try await client.next()
      client.send(#"{"class": "WATCH", "enable": true}"# + "\n")
      client.send(#"{"class": "TPV", "mode": 3, "lat": 1.5, "lon": 2}"# + "\n")
      try #require(await eventually { !listener.locations.isEmpty })
      #expect(listener.locations.first?.coordinate == LocationCoordinate2D(latitude: 1.5, longitude: 2))
    }
  }
}
