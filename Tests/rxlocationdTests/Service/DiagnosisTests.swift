import ArgumentParser
import Foundation
import GPSD
import Publishing
import TestSupport
import Testing

@testable import rxlocationd

/// What the doctor advises.
@Suite struct DiagnosisTests {
  private func diagnosis(_ finding: BrokerFinding) -> Diagnosis { Diagnosis(finding, at: .broker(host: "a")) }

  private func diagnosis(_ finding: GPSDFinding, at host: String = "localhost") throws -> Diagnosis {
    Diagnosis(finding, at: try GPSDEndpoint(parsing: "\(host):2947"))
  }

  @Test func theUsualPortIsThatOfTheScheme() {
    func hint(usesTLS: Bool) -> String? {
      Diagnosis(BrokerFinding.failed(.noMQTT("what answers there is silent")), at: .broker(host: "a", usesTLS: usesTLS))
        .hint
    }
    #expect(hint(usesTLS: true)?.contains("8883 is usual for TLS") == true)
    #expect(hint(usesTLS: false)?.contains("1883 is usual without TLS") == true)
  }

  /// An acknowledgement of MQTT 3.1.1 does not say that the message was taken.
  @Test func aTopicCountsOnlyWhereTheBrokerHasAWordForIt() {
    #expect(diagnosis(.messageAccepted(topic: "t")).outcome == .ok)
    #expect(diagnosis(.unconfirmed(topic: "t")).outcome == .warning)
  }

  @Test func whatTheBrokerKeepsIsNotWhatItDoesNot() {
    #expect(diagnosis(.readBack(topic: "t", isRetained: true)).message.hasSuffix("retains a message on 't'"))
    #expect(diagnosis(.readBack(topic: "t", isRetained: false)).message.hasSuffix("retains no message on 't' yet"))
  }

  /// Nobody has to read what is published.
  @Test func aTopicThatMayNotBeReadIsNoFault() { #expect(diagnosis(.notRead(topic: "t")).outcome == .ok) }

  @Test(arguments: [("localhost", true), ("127.0.0.1", true), ("[::1]", true), ("gps.example", false)])
  func aRefusalIsRemovedWhereGPSDRuns(host: String, isHere: Bool) throws {
    let hint = try #require(try diagnosis(.connectionRefused(reason: "refused"), at: host).hint)
    #expect(hint.contains("systemctl enable") == isHere && hint.contains("-G") == !isHere, "\(hint)")
  }

  @Test func aClockGoesAheadOrBehind() throws {
    #expect(try diagnosis(.clockDiffers(90.4)).message.contains("is 1 min 30 s ahead of the receiver"))
    #expect(try diagnosis(.clockDiffers(-90.6)).message.contains("is 1 min 31 s behind the receiver"))
    #expect(try diagnosis(.clockDiffers(7260)).message.contains("is 2 h 01 min ahead of the receiver"))
    #expect(try diagnosis(.clockDiffers(17_391_431)).message.contains("is 201 d 07 h ahead of the receiver"))
  }

  @Test(
    arguments: [
      (-12e-6, "12 µs behind", "12 µs behind"), (12e-6, "12 µs ahead", "12 µs ahead"),
      (0.000_999_6, "1 ms ahead", "1 ms ahead"), (-0.25, "250 ms behind", "250 ms behind"),
      (0.999_6, "1 s ahead", "1 s ahead"), (-5400, "1 h 30 min behind", "1 h behind"),
      (-17_391_431, "201 d 07 h behind", "201 d behind"), (3e9, "34722 d 05 h ahead", "34722 d ahead"),
    ])
  func aPulseSaysHowTheClockGoes(offset: Double, words: String, short: String) throws {
    let pulse = GPSDFinding.pulse(device: "/dev/pps0", offset: offset, precision: -20)
    let found = try diagnosis(pulse)
    #expect(found.outcome == .ok && found.step == "clock")
    #expect(found.message == "PPS of /dev/pps0: this host's clock is \(words), precision -20")
    #expect(pulse.shortClockText == short)
  }

  @Test func weakSignalsAndDatesOfThePastHaveTheirHints() throws {
    let weak = try diagnosis(.noFix(.init(seen: 9, used: 0, strongest: 22)))
    #expect(weak.message.hasSuffix("0 used, the strongest at 22 dB-Hz"))
    #expect(weak.hint?.contains("too weak") == true)
    #expect(try diagnosis(.noFix(.init(seen: 9, used: 0, strongest: 41))).hint?.contains("weak") == false)
    // 1024 weeks.
    #expect(try diagnosis(.clockDiffers(619_315_200)).hint?.contains("count of weeks") == true)
    #expect(try diagnosis(.clockDiffers(60)).hint?.contains("chrony") == true)
  }

  @Test func theSerialPortsAndTheirUsersAreNamed() throws {
    let folder = try TemporaryFolder()
    for name in ["ttyACM0", "ttyUSB1", "tty0"] { try folder.write("", to: name) }
    let ports = LocalHost.serialPorts(in: folder.url.path)
    #expect(ports == [folder.path("ttyACM0"), folder.path("ttyUSB1")])
    let user = try #require(FileHandle(forReadingAtPath: ports[0]))
    let hint = Diagnosis.noDeviceHint(ports)
    #expect(hint.contains("(process \(getpid())) has \(ports[0]) open"), "\(hint)")
    #expect(hint.contains("sudo gpsdctl add \(ports[0])"), "\(hint)")
    try user.close()
    #expect(!Diagnosis.noDeviceHint(ports).contains(" open"))
  }

  @MainActor @Test func geoCluesSettingsAreRead() throws {
    let folder = try TemporaryFolder()
    #expect(!LocalHost.geoClue(in: folder.url.path).isInstalled)
    try folder.write("[network-nmea]\n#nmea-socket=/a\n", to: "geoclue.conf")
    #expect(LocalHost.geoClue(in: folder.url.path).isInstalled && LocalHost.geoClue(in: folder.url.path).socket == nil)
    try FileManager.default.createDirectory(atPath: folder.path("conf.d"), withIntermediateDirectories: false)
    let example = try String(contentsOf: Checkout.file("systemd/geoclue.conf"), encoding: .utf8)
    try folder.write(example, to: "conf.d/rxlocationd.conf")
    let geoClue = LocalHost.geoClue(in: folder.url.path)
    #expect(geoClue.socket == "/run/rxlocationd/nmea.sock")

    func diagnosis(_ arguments: [String]) throws -> Diagnosis? {
      try OutputTrial.geoClue(RegionSocketOptions.parse(arguments), geoClue)
    }
    let socket = ["--nmea", "unix:/run/rxlocationd/nmea.sock"]
    #expect(try diagnosis([]) == nil)
    #expect(try diagnosis(["--nmea", "tcp:localhost:10110"]) == nil)
    #expect(try diagnosis(socket)?.hint == "set region-socket-mode 666")
    #expect(try diagnosis(socket + ["--region-socket-mode", "664"])?.hint == "set region-socket-mode 666")
    #expect(try diagnosis(socket + ["--region-socket-mode", "666"])?.message == "reads /run/rxlocationd/nmea.sock")
    #expect(try diagnosis(["--nmea", "unix:/other"])?.hint?.contains("nmea-socket=/other") == true)
  }

  @Test func theSandboxOfAServiceIsRead() throws {
    let folder = try TemporaryFolder()
    try folder.write("[Service]\nIPAddressDeny=any\nIPAddressAllow=localhost\n", to: "a.service")
    #expect(LocalHost.allowedAddresses(of: "a.service", in: [folder.url.path]) == ["localhost"])
    try FileManager.default.createDirectory(atPath: folder.path("a.service.d"), withIntermediateDirectories: false)
    try folder.write("[Service]\nIPAddressAllow=10.0.0.0/8 ::1\n", to: "a.service.d/override.conf")
    #expect(LocalHost.allowedAddresses(of: "a.service", in: [folder.url.path]) == ["localhost", "10.0.0.0/8", "::1"])
  }

  @Test func aBrokerOfThisHostStaysOnLoopback() {
    let hint = Diagnosis(BrokerFinding.failed(.unreachable("refused")), at: .broker(host: "localhost")).hint
    #expect(hint?.contains("start the broker") == true && hint?.contains("beyond") == false)
  }

  @Test func leapSecondsAreSaid() throws {
    #expect(try diagnosis(.leapSeconds(18)).message == "GPS is 18 leap seconds ahead of UTC")
    #expect(GPSDFinding.leapSeconds(18).shortClockText == "18 leap s")
    #expect(try diagnosis(.leapSeconds(1)).message == "GPS is 1 leap second ahead of UTC")
  }

  @Test func theDevicesThatThereAreAreNamed() throws {
    let missing = try diagnosis(.deviceMissing("/dev/ttyS9", others: ["/dev/ttyS0", "/dev/ttyS1"]))
    #expect(missing.message == "gpsd has /dev/ttyS0, /dev/ttyS1, but not /dev/ttyS9")
  }

  @Test func aHintIsForAMachineToo() throws {
    #expect(try diagnosis(.noDevices, at: "gps.example").json.contains(#""hint":"plug the receiver in"#))
    #expect(try diagnosis(.noDevices, at: "gps.example").text.contains("\n         hint: plug the receiver in"))
    #expect(try !diagnosis(.connected).json.contains("hint"))
  }

  @Test(
    arguments: [
      (.outOfResources(reason: "why"), "why", nil), (.noAddress(reason: "why"), "why", "--gpsd 127.0.0.1:2947"),
      (.connectionDenied(reason: "why"), "gps.example:2947: why", "IPAddressAllow="),
      (.noConnection(reason: "why"), "gps.example:2947: why", "firewalls"),
      (.noGreeting(within: 3), "nothing within 3.0 s", "2947"), (.notGPSD, "not gpsd", "2947"),
      (.watchNotConfirmed(within: 3), "within 3.0 s", "2947"),
      (.connectionLost(.data, reason: "why"), "why", "journalctl -u gpsd"),
      (.noData(within: 3), "sent nothing for 3.0 s", "gpsmon"),
      (.fix(dimensions: 3, .init(seen: 9, used: 7)), "3D fix: 9 satellites seen, 7 used", nil),
      (.noFix(.init(seen: 9, used: 0)), "no fix yet: 9 satellites seen, 0 used", "the sky"),
      (.noFix(.init(seen: 1, used: 0)), "no fix yet: 1 satellite seen, 0 used", "the sky"),
      (.addresses(1), "'gps.example' has 1 address", nil), (.addresses(2), "'gps.example' has 2 addresses", nil),
      (.fix(dimensions: 2, nil), "2D fix: satellites not reported", nil),
    ] as [(GPSDFinding, String, String?)])
  func aFindingHasItsWordsAndItsHint(finding: GPSDFinding, words: String, part: String?) throws {
    let found = try diagnosis(finding, at: "gps.example")
    #expect(found.message.hasSuffix(words), "\(found.message)")
    #expect(part.map { found.hint?.contains($0) == true } ?? (found.hint == nil), "\(found.hint ?? "no hint")")
  }

  @Test(
    arguments: [
      (.noAddress("why"), "broker name", "--publish mqtt://"),
      (.unreachable("why"), "broker connection", "IPAddressAllow="), (.tls("why"), "broker TLS", "--publish-ca"),
      (.login("why"), "broker login", "--publish-user"), (.refused("why"), "broker topic", "access list"),
      (.takenOver("why"), "broker", "--publish-client-id"), (.file("why"), "broker", "file's path"),
      (.system("why"), "broker", nil),
    ] as [(BrokerFailure, String, String?)])
  func aBrokersFailureHasItsStepAndItsHint(failure: BrokerFailure, step: String, part: String?) {
    let found = diagnosis(.failed(failure))
    #expect(found.step == step && found.outcome == .failure)
    #expect(found.message == "\(PublishingAddress.broker(host: "a")): why")
    #expect(part.map { found.hint?.contains($0) == true } ?? (found.hint == nil), "\(found.hint ?? "no hint")")
  }

  /// Each has a service and flags of its own.
  @Test func whatIsWrongForASubscriberIsNotThePublishersBusiness() {
    func hint(_ failure: BrokerFailure, _ flag: String) -> String? {
      Diagnosis(BrokerFinding.failed(failure), at: .broker(host: "a"), flag: flag).hint
    }
    #expect(hint(.unreachable("why"), "publish")?.hasSuffix("IPAddressAllow= in rxlocationd.service") == true)
    #expect(hint(.unreachable("why"), "subscribe")?.hasSuffix("IPAddressAllow= in rxlocationd-collect.service") == true)
    for failure: BrokerFailure in [.noAddress("why"), .tls("why"), .login("why"), .takenOver("why")] {
      let hint = hint(failure, "subscribe")
      #expect(hint?.contains("--subscribe") == true && hint?.contains("publish") == false, "\(hint ?? "no hint")")
    }
  }
}
