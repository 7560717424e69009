import Foundation
import GPSD
import LocationKit
import Platform
import Testing
import TestSupport

@testable import rxlocationd

@Suite(.inTurn, .timeLimit(.minutes(30)))
struct GPSDProbeTests {
  private static let greeting = "{\"class\":\"VERSION\",\"release\":\"3.25\"}\r\n"
  private static let device = "{\"class\":\"DEVICES\",\"devices\":[{\"class\":\"DEVICE\",\"path\":\"/dev/a\"}]}\n"
  private static let watch = "{\"class\":\"WATCH\",\"enable\":true}\n"
  private static let start = greeting + device + watch

  private static func sky(_ members: String = #""satellites":[{"PRN":1,"used":true}]"#) -> String {
    "{\"class\":\"SKY\",\"device\":\"/dev/a\",\(members)}\n"
  }

  private static func fix(_ members: String = "") -> String {
    "{\"class\":\"TPV\",\"device\":\"/dev/a\",\"mode\":3,\"lat\":1.0,\"lon\":2.0\(members)}\n"
  }

  /// Probes a server that talks with its client on a thread of its own.
  private func probe(
    device: String? = nil, patience: Double = 60, _ talk: @escaping @Sendable (LoopbackSocket) -> Void
  ) async throws -> GPSDSurvey {
    let server = try LoopbackSocket.listener()
    try Platform.Thread.start { (try? server.accept()).map(talk) }
    let endpoint = GPSDEndpoint(host: "127.0.0.1", port: server.port, device: device)
    return await GPSDProbe(endpoint: endpoint, patience: patience).run()
  }

  /// Probes a server that sends `text`, and then keeps the connection open until the client ends it, unless `closes`.
  private func probe(
    _ text: String, device: String? = nil, patience: Double = 60, closes: Bool = false
  ) async throws -> GPSDSurvey {
    try await probe(device: device, patience: patience) { client in
      client.send(text)
      // Read, so that the connection ends rather than breaks.
      _ = client.receive()
      if !closes { while let bytes = client.receive(), !bytes.isEmpty {} }
      client.close()
    }
  }

  @Test(
    "the satellites are listed or counted",
    arguments: [#""satellites":[{"PRN":1,"used":true},{"PRN":2}]"#, #""nSat":2,"uSat":1"#])
  func fix(_ satellites: String) async throws {
    let survey = try await probe(Self.start + Self.sky(satellites) + Self.fix())
    #expect(survey.findings.map(\.step) == ["name", "connection", "gpsd", "devices", "data", "fix", "clock"])
    #expect(survey.findings.map(\.outcome) == [.ok, .ok, .ok, .ok, .ok, .ok, .warning])
    let messages = survey.findings.map(\.message)
    #expect(messages[0] == "'127.0.0.1' has 1 address")
    #expect(messages[2...3] == ["gpsd 3.25 answers", "gpsd has /dev/a"])
    #expect(messages[5...] == ["3D fix: 2 satellites seen, 1 used", "the receiver does not know the time yet"])
    #expect(survey.location?.coordinate == LocationCoordinate2D(latitude: 1, longitude: 2))
  }

  @Test("leap seconds and the pulse are asked for and told")
  func clock() async throws {
    let asked = Recorder<[UInt8]>()
    let found = try await probe { client in
      client.send(
        Self.start + Self.fix(",\"leapseconds\":18") + Self.sky()
          + "{\"class\":\"PPS\",\"device\":\"/dev/a\",\"real_sec\":1750000000,\"real_nsec\":0,"
          + "\"clock_sec\":1749999999,\"clock_nsec\":999988000,\"precision\":-20}\n")
      while let bytes = client.receive(), !bytes.isEmpty { asked.record(bytes) }
    }
    #expect(
      found.findings.suffix(2).map(\.message) == [
        "GPS is 18 leap seconds ahead of UTC", "PPS of /dev/a: this host's clock is 12 µs behind, precision -20",
      ])
    #expect(found.clock.short == "12 µs behind, 18 leap s")
    #expect(await eventually { String(decoding: asked.values.joined(), as: UTF8.self).contains("\"pps\":true") })
  }

  @Test("a connection that ends before a pulse leaves the other findings")
  func endWithoutPulse() async throws {
    let survey = try await probe(Self.start + Self.sky() + Self.fix(",\"leapseconds\":18"), closes: true)
    #expect(survey.findings.suffix(3).map(\.step) == ["fix", "clock", "clock"], "\(survey.findings)")
    #expect(survey.findings.last?.message.contains("18 leap seconds") == true)
  }

  @Test(
    "this host's clock is compared with the receiver's",
    arguments: [
      (0, "agrees", nil), (90.5, "is 1 min", "chrony"),
      (-90.5, "behind the receiver", "chrony"), (7260.5, "is 2 h 0", "chrony"),
      // 1024 weeks.
      (619_315_200, "ahead of the receiver", "count of weeks"),
    ] as [(Double, String, String?)])
  func hostClock(ahead: Double, words: String, hint: String?) async throws {
    let time = Date.now.addingTimeInterval(-ahead).ISO8601Format(.init(includingFractionalSeconds: true))
    let finding = try #require(
      try await probe(Self.start + Self.sky() + Self.fix(",\"time\":\"\(time)\"")).findings.last)
    #expect(finding.message.contains(words), "\(finding)")
    #expect(finding.outcome == (hint == nil ? .ok : .warning))
    #expect(hint.map { finding.hint?.contains($0) == true } ?? (finding.hint == nil), "\(finding)")
  }

  @Test("a peer that is silent or talks of other things has its time only", arguments: [false, true])
  func patience(talks: Bool) async throws {
    let finding = try await probe(patience: 0.5) { client in
      if talks { client.send(Self.greeting + Self.device) }
      let talk = String(repeating: "{\"class\":\"PPS\"}\n", count: 1000)
      if talks { while client.send(talk) {} } else { _ = client.receive() }
    }.findings.last
    #expect(finding?.step == "gpsd")
    #expect(
      finding?.message.hasSuffix(talks ? "not begin to report within 0.5 s" : "sent nothing within 0.5 s") == true)
    #expect(finding?.hint?.contains("2947") == true)
  }

  @Test(
    "what is missing has its step, its words and a hint",
    arguments: [
      ("HTTP/1.1 400 Bad Request\r\n", nil, "gpsd: the program at this address is not gpsd", "2947"),
      (greeting + "{\"class\":\"DEVICES\",\"devices\":[]}\n" + watch, nil, "devices: gpsd has no device", "DEVICES"),
      (start, "/dev/b", "devices: gpsd has /dev/a, but not /dev/b", "--gpsd 127.0.0.1:"),
      (start, nil, "data: the device has sent nothing for 0.3 s", "gpsmon"),
      (
        start + "{\"class\":\"TPV\",\"device\":\"/dev/a\",\"mode\":1}\n", nil,
        "fix: no fix yet: satellites not reported", "give the antenna"
      ),
      (start + sky(#""satellites":[{"PRN":1}]"#), nil, "fix: no fix yet: 1 satellite seen, 0 used", "the sky"),
      (start + sky(#""satellites":[{"PRN":1,"ss":22.0}]"#), nil, "0 used, the strongest at 22 dB-Hz", "are too weak"),
      (start + sky(#""satellites":[{"PRN":1,"ss":41.0}]"#), nil, "the strongest at 41 dB-Hz", "give the antenna"),
    ] as [(String, String?, String, String)])
  func missing(text: String, device: String?, words: String, hint: String) async throws {
    let finding = try #require(try await probe(text, device: device, patience: 0.3).findings.last)
    #expect(finding.outcome == .failure)
    #expect("\(finding.step): \(finding.message)".hasSuffix(words), "\(finding)")
    #expect(finding.hint?.contains(hint) == true, "\(finding)")
    if hint == "give the antenna" { #expect(finding.hint?.hasPrefix(hint) == true) }
  }

  @Test("a connection that ends names the step", arguments: [false, true])
  func lost(isLate: Bool) async throws {
    let finding = try await probe(isLate ? Self.start : Self.greeting + Self.device, closes: true).findings.last
    #expect(finding?.step == (isLate ? "data" : "gpsd") && finding?.outcome == .failure)
    #expect(finding?.message == "gpsd closed the connection" && finding?.hint?.contains("journalctl -u gpsd") == true)
  }

  @Test("a connection that ends before a greeting was none to gpsd")
  func closed() async throws {
    let finding = try #require(try await probe { $0.close() }.findings.last)
    #expect(finding.message == "the program at this address closes the connection without a greeting")
    #expect(finding.hint?.contains("check the port") == true)
  }

  @Test("nobody listens, or there is no such host")
  func nowhere() async throws {
    let port = LoopbackSocket.unusedPort()
    let findings = await GPSDProbe(endpoint: GPSDEndpoint(host: "127.0.0.1", port: port)).run().findings
    #expect(findings.map(\.step) == ["name", "connection"])
    #expect(findings.last?.message == "127.0.0.1:\(port): Connection refused")
    let nowhere = await GPSDProbe(endpoint: GPSDEndpoint(host: "no-such-host.invalid")).run().findings
    #expect(nowhere.map(\.step) == ["name"] && nowhere[0].outcome == .failure)
  }

  @Test(
    "a failure to connect has the hint for its place",
    arguments: [
      (.connecting(.refused("why")), "localhost", "connection", "systemctl enable"),
      (.connecting(.refused("why")), "::1", "connection", "systemctl enable"),
      (.connecting(.refused("why")), "gps.example", "connection", "-G"),
      (.connecting(.denied("why")), "gps.example", "connection", "IPAddressAllow="),
      (.connecting(.unreachable("why")), "gps.example", "connection", "firewalls"),
      (.connecting(.noAddress("why")), "gps.example", "name", "--gpsd 127.0.0.1:2947"),
      (.connecting(.system("why")), "gps.example", "name", "limits of processes"),
    ] as [(ConnectionFailure, String, String, String)])
  func failure(failure: ConnectionFailure, host: String, step: String, hint: String) throws {
    var survey = GPSDSurvey(GPSDEndpoint(host: host))
    survey.add(failure)
    let finding = try #require(survey.findings.first)
    #expect(finding.step == step && finding.outcome == .failure && finding.message.hasSuffix("why"))
    #expect(finding.hint?.contains(hint) == true, "\(finding)")
  }

  @Test(
    "a pulse says how the clock goes",
    arguments: [
      (-12e-6, "12 µs behind", "12 µs behind"), (12e-6, "12 µs ahead", "12 µs ahead"),
      (0.000_999_6, "1 ms ahead", "1 ms ahead"), (-0.25, "250 ms behind", "250 ms behind"),
      (0.999_6, "1 s ahead", "1 s ahead"), (-5400, "1 h 30 min behind", "1 h behind"),
      (-17_391_431, "201 d 07 h behind", "201 d behind"), (3e9, "34722 d 05 h ahead", "34722 d ahead"),
    ])
  func pulse(offset: Double, words: String, short: String) {
    let clock = ReceiverClock(pulse: ("/dev/pps0", offset, -20))
    #expect(clock.sentences == ["PPS of /dev/pps0: this host's clock is \(words), precision -20"])
    #expect(clock.short == short)
    #expect(ReceiverClock(leapSeconds: 1).sentences == ["GPS is 1 leap second ahead of UTC"])
    #expect(ReceiverClock().short == nil)
  }

  @Test("the serial ports and the programs that use them are named")
  func serialPorts() throws {
    let folder = TemporaryFolder()
    for name in ["ttyACM0", "ttyUSB1", "tty0"] { try folder.write("", to: name) }
    let ports = LocalHost.serialPorts(in: folder.url.path)
    #expect(ports == [folder.path("ttyACM0"), folder.path("ttyUSB1")])
    let user = try #require(FileHandle(forReadingAtPath: ports[0]))
    let hint = GPSDSurvey.noDeviceHint(ports)
    #expect(hint.contains("(process \(getpid())) has \(ports[0]) open"), "\(hint)")
    #expect(hint.contains("sudo gpsdctl add \(ports[0])"), "\(hint)")
    try user.close()
    #expect(!GPSDSurvey.noDeviceHint(ports).contains(" open"))
  }
}
